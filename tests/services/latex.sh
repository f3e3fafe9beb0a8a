#!/bin/sh
# pdfLaTeX, which compiles the tables of a paper: Debian's package, where it is missing and we may install it.
# Nothing else needs it: without it those tests are skipped, and say so.
command -v pdflatex >/dev/null && kpsewhich booktabs.sty >/dev/null && exit
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 0
export DEBIAN_FRONTEND=noninteractive
wanted() { apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 texlive-latex-recommended >/dev/null; }
apt-get update -qq && wanted || { sleep 15; apt-get update -qq; wanted; } || echo "pdfLaTeX was not installed: its tests are skipped." >&2
exit 0
