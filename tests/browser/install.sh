#!/bin/sh
# Debian's chromium, when it is not there yet.
command -v chromium >/dev/null 2>&1 && exit 0
[ "$(id -u)" = 0 ] || { echo "Install the package chromium first: sudo apt-get install chromium" >&2; exit 1; }
apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation >/dev/null
