#!/bin/sh
# Builds a release for this machine's architecture: static programs, manual pages, completions, SHA-256 sums.
# Usage: scripts/release.sh [DIR]     default: dist
# Needs the target ARCH-unknown-linux-musl, and musl-gcc for SQLite (Debian: musl-tools).
set -eu

cd "$(dirname "$0")/.."
out="${1:-dist}"
target="$(uname -m)-unknown-linux-musl"

fail() {
    echo "error: $1" >&2
    echo "hint: $2" >&2
    exit 1
}

rustc --print target-libdir --target "$target" | xargs test -d || fail "target $target is not installed" "rustup target add $target"
command -v musl-gcc >/dev/null || fail "musl-gcc is not installed" "install musl-tools or musl-dev"

version="$(cargo pkgid --package circinus | sed 's/.*[#@]//')"
name="circinus-$version-$target"
# The same sources give the same bytes: no path of this machine, no time of this build.
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
export SOURCE_DATE_EPOCH RUSTFLAGS
export "CC_$(echo "$target" | tr - _)=musl-gcc"

build() { cargo build --locked --release --target "$target" "$@"; }
build --package circinus --bin circinus
build --package circinus-ipc --bin circinus-hook
build --package circinus --example man_pages
built="${CARGO_TARGET_DIR:-target}/$target/release"

rm -rf "${out:?}/$name"
mkdir -p "$out/$name/bin" "$out/$name/completions"
for program in circinus circinus-hook; do
    if readelf --dynamic "$built/$program" 2>/dev/null | grep -q NEEDED; then
        fail "$program is not static" "look at the linker of $target"
    fi
    cp "$built/$program" "$out/$name/bin/"
done
"$built/examples/man_pages" "$out/$name/man/man1"
"$built/circinus" completions bash >"$out/$name/completions/circinus.bash"
"$built/circinus" completions zsh >"$out/$name/completions/_circinus"
"$built/circinus" completions fish >"$out/$name/completions/circinus.fish"
cp README.md CHANGELOG.md SECURITY.md LICENSE-APACHE LICENSE-MIT "$out/$name/"
cp -R packaging "$out/$name/"

cd "$out"
(cd "$name" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" | gzip -9n >"$name.tar.gz"
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
echo "$out/$name.tar.gz"
cat "$name.tar.gz.sha256"
