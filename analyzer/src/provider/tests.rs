use serde_json::json;

use super::*;

fn settings(kind: Kind) -> Settings {
    Settings {
        kind,
        model: "model".into(),
        endpoint: Endpoint::parse(kind.endpoint()).unwrap(),
        key: None,
        deadline: Duration::from_secs(1),
        prices: Prices::default(),
    }
}

fn replied(kind: Kind, answer: &Value) -> Result<Reply, NoReply> {
    settings(kind).provider().reply(answer)
}

#[test]
fn each_kind_reads_the_verdict_where_it_puts_it() {
    let verdict = json!({ "level": "benign" });
    let text = verdict.to_string();
    let answers = [
        (
            Kind::Anthropic,
            json!({
                "stop_reason": "tool_use",
                "content": [{ "type": "text", "text": "x" }, { "type": "tool_use", "name": "verdict", "input": verdict }],
                "usage": { "input_tokens": 3, "output_tokens": 4 },
            }),
        ),
        (
            Kind::OpenAi,
            json!({
                "choices": [{ "finish_reason": "stop", "message": { "content": text } }],
                "usage": { "prompt_tokens": 3, "completion_tokens": 4 },
            }),
        ),
        (
            Kind::Ollama,
            json!({ "done": true, "message": { "content": text }, "prompt_eval_count": 3, "eval_count": 4 }),
        ),
    ];
    for (kind, answer) in answers {
        let reply = replied(kind, &answer).unwrap();
        assert_eq!((reply.verdict.as_str(), reply.usage), (text.as_str(), Some((3, 4))), "{kind:?}");
        assert!(replied(kind, &json!({})).is_err(), "{kind:?}");
        assert!(replied(kind, &json!([])).is_err(), "{kind:?}");
    }
}

#[test]
fn an_answer_that_was_cut_short_is_none() {
    let answers = [
        (Kind::Anthropic, json!({ "stop_reason": "max_tokens", "content": [] })),
        (Kind::OpenAi, json!({ "choices": [{ "finish_reason": "length", "message": { "content": "{}" } }] })),
        (Kind::Ollama, json!({ "done": false, "message": { "content": "{}" } })),
        (
            Kind::Ollama,
            json!({ "done": true, "message": { "content": "{}" }, "prompt_eval_count": 16_384, "eval_count": 9 }),
        ),
    ];
    for (kind, answer) in answers {
        assert_eq!(replied(kind, &answer), Err(NoReply::Cut), "{kind:?}");
    }
}

#[test]
fn every_kind_sends_question_and_text_and_bounds_the_answer() {
    for kind in Kind::ALL {
        let prompt = Prompt::about("some text");
        let body = settings(kind).provider().body("model", &prompt).to_string();
        assert!(body.contains("some text") && body.contains(&prompt.mark), "{kind:?}");
        assert!(body.contains(&ANSWER_TOKENS_MAX.to_string()), "{kind:?}");
    }
}

#[test]
fn prices_round_up() {
    let prices = Prices { request: 3_000_000, answer: 15_000_000 };
    assert_eq!(prices.of(1_000_000, 1_000_000), 18_000_000);
    assert_eq!(prices.of(1, 0), 3);
    assert_eq!(Prices { request: 1, answer: 0 }.of(1, 0), 1);
    assert_eq!(Prices::default().of(u64::MAX, u64::MAX), 0);
}
