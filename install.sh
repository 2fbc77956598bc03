#!/bin/sh
# Builds and installs `circinus` and `circinus-hook` side by side, then plays the demonstration.
# Usage: ./install.sh [--prefix DIR]     default: $CARGO_HOME/bin, else ~/.cargo/bin
set -eu

bin="${CARGO_HOME:-$HOME/.cargo}/bin"
if [ "${1:-}" = "--prefix" ] && [ -n "${2:-}" ]; then
    bin="$2/bin"
elif [ $# -gt 0 ]; then
    echo "usage: $0 [--prefix DIR]" >&2
    exit 2
fi
cd "$(dirname "$0")"

cargo build --locked --release --package circinus --package circinus-loadtest

# The hook starts once per tool call. A static binary starts in a third of the time, where its target is there.
musl="$(uname -m)-unknown-linux-musl"
if rustc --print target-libdir --target "$musl" 2>/dev/null | xargs -r test -d; then
    cargo build --locked --release --package circinus-ipc --bin circinus-hook --target "$musl"
    hook="${CARGO_TARGET_DIR:-target}/$musl/release/circinus-hook"
else
    echo "note: target $musl is not installed; building the hook as a dynamic binary" >&2
    cargo build --locked --release --package circinus-ipc --bin circinus-hook
    hook="${CARGO_TARGET_DIR:-target}/release/circinus-hook"
fi

mkdir -p "$bin"
for file in "${CARGO_TARGET_DIR:-target}/release/circinus" "${CARGO_TARGET_DIR:-target}/release/circinus-loadtest" "$hook"; do
    # Copied aside and renamed, so that a hook that runs meanwhile sees the old file or the new one.
    cp "$file" "$bin/.$(basename "$file").new"
    mv "$bin/.$(basename "$file").new" "$bin/$(basename "$file")"
done
echo "installed circinus, circinus-hook and circinus-loadtest in $bin"
"$bin/circinus" demo
case ":$PATH:" in
    *":$bin:"*) ;;
    *) echo "note: $bin is not on the PATH" >&2 ;;
esac
echo "next: circinus setup, then circinus doctor"
