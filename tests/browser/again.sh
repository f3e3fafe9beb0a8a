#!/usr/bin/env bash
# After a run with failures: run the failed tests once more, one after another with nothing beside them, and name
# as flaky those that pass then. Whoever reads that mends them.
#   tests/browser/again.sh STATUS COMMAND...    STATUS: what pytest ended with; COMMAND: how it is called
set -euo pipefail
status=$1
shift
most=10
failed=.pytest_cache/v/cache/lastfailed
# Only failed tests are tried again: not an interrupted run, not files that cannot be read, not a broken site.
if [ "$status" != 1 ] || [ ! -f "$failed" ] || [ "$(grep -c '::' "$failed")" -gt "$most" ]; then
  exit "$status"
fi
names=$(grep -o '"[^"]*::[^"]*"' "$failed")
printf '\n== once more, one after another\n%s\n' "$names"
"$@" -q --last-failed --last-failed-no-failures none tests/browser
printf '\nFLAKY: failed beside others and passed alone:\n%s\n' "$names"
