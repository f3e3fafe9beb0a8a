#!/bin/sh
# What the cases need beside Python: what browser tests need, and libfaketime, by which clocks jump (R10).
set -e
cd "$(dirname "$0")"
../browser/install.sh
[ -e /usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1 ] && exit
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "Install first: sudo apt-get install libfaketime" >&2; exit 1; }
export DEBIAN_FRONTEND=noninteractive
wanted() { apt-get update -qq && apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 libfaketime >/dev/null; }
wanted </dev/null || { sleep 15; wanted </dev/null; }
