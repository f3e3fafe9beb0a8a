#!/bin/sh
# What the browser tests need beside Python: Debian's chromium and a font, and axe-core as package-lock.json pins it.
# It asks nothing, does nothing where all is there, waits for another apt, and tries again what a network lost.
set -e
cd "$(dirname "$0")"
export DEBIAN_FRONTEND=noninteractive

patiently() { # command …
  for pause in 5 15 30 60; do
    "$@" </dev/null && return
    echo "This failed, and is tried again in $pause seconds: $*" >&2
    sleep "$pause"
  done
  "$@" </dev/null
}

packages() { # Debian's …
  apt-get update -qq && apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@" >/dev/null
}

debian() { # Debian's packages
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "Install first: sudo apt-get install $*" >&2; exit 1; }
  patiently packages "$@"
}

fonts() { find /usr/share/fonts /usr/local/share/fonts "$HOME/.fonts" -name '*.[to]tf' 2>/dev/null | grep -q .; }
command -v chromium >/dev/null || debian chromium fonts-liberation
fonts || debian fonts-liberation

axe() { # Whether all of the pinned axe-core is there.
  pinned=$(sed -n 's/.*"axe-core": "\(.*\)".*/\1/p' package.json)
  grep -qs "\"version\": \"$pinned\"" node_modules/axe-core/package.json && [ -s node_modules/axe-core/axe.min.js ]
}
axe && exit
command -v npm >/dev/null || debian npm
patiently npm ci --loglevel=error --no-audit --no-fund
axe || { echo "npm ran, and axe-core is not there as package.json pins it." >&2; exit 1; }
