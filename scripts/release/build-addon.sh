#!/bin/sh
# Builds the addon of the system that it runs on, makes its package and tries it: `sh scripts/release/build-addon.sh linux-x64-musl FOLDER`.
# The release workflow runs it on each platform, for Linux inside of the image with the oldest C library that is supported.
set -eu
name="${1:?a platform}"
folder="${2:?a folder for the package}"

# Alpine comes without them; /bin/sh is all that this script may count on.
if command -v apk >/dev/null; then apk add --no-cache bash build-base curl git python3 tar; fi
PATH="$HOME/.cargo/bin:$PATH"
export PATH
if ! command -v cargo >/dev/null; then
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain stable
fi
npm ci --ignore-scripts

# Messages of panics name files; the home of the builder is nobody's business.
home="$HOME"
here="$PWD"
if command -v cygpath >/dev/null; then
  home="$(cygpath -w "$HOME")"
  here="$(cygpath -w "$PWD")"
fi
RUSTFLAGS="--remap-path-prefix=$home/.cargo=cargo --remap-path-prefix=$here=tenon"
# An addon is loaded by a program that has the C library already.
case "$name" in *-musl) RUSTFLAGS="$RUSTFLAGS -C target-feature=-crt-static" ;; esac
export RUSTFLAGS
node scripts/build-native.mjs
node scripts/release/native.mjs "$name" "$folder"
# It loads, and the twins agree with it.
npx vitest run native/test/loader.test.ts native/test/hashline-twins.test.ts
