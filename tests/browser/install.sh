#!/bin/sh
# What the browser tests need beside Python: Debian's chromium, and axe-core as package-lock.json pins it.
set -e
cd "$(dirname "$0")"

need() { # command, its Debian packages
  command -v "$1" >/dev/null 2>&1 && return
  [ "$(id -u)" = 0 ] || { echo "Install $1 first: sudo apt-get install $2" >&2; exit 1; }
  apt-get update -qq
  # shellcheck disable=SC2086 - several packages
  apt-get install -y -qq --no-install-recommends $2 >/dev/null
}
need chromium "chromium fonts-liberation"

pinned=$(sed -n 's/.*"axe-core": "\(.*\)".*/\1/p' package.json)
grep -qs "\"version\": \"$pinned\"" node_modules/axe-core/package.json && exit 0
need npm "npm"
npm ci --silent
