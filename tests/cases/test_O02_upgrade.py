"""O02: an older database with data becomes today's, also after kills; older code is refused then."""

from __future__ import annotations

import signal

import pytest

from tests.cases.installation import COUNTED, FILLED, GUARDED, installation

pytestmark = pytest.mark.long
OLD = "0011"
"""A migration of `annotation` back to which docs/deploy.md leads, and from which installations come."""
KILLED = """
from django.core.management import call_command
from django.db.migrations.executor import MigrationExecutor
left = int(sys.argv[1])
plain = MigrationExecutor.apply_migration
def apply(self, state, migration, **words):
    global left
    left -= 1
    if left < 0:
        # Within the migration: some of its statements are done, and its end is not.
        def wrapper(execute, sql, params, many, context):
            done = execute(sql, params, many, context)
            if not sql.lstrip().upper().startswith(("SELECT", "PRAGMA", "SAVEPOINT", "BEGIN")):
                os.kill(os.getpid(), signal.SIGKILL)
            return done
        with connection.execute_wrapper(wrapper):
            return plain(self, state, migration, **words)
    return plain(self, state, migration, **words)
MigrationExecutor.apply_migration = apply
call_command("migrate", verbosity=0)
"""
STANDS = """
from django.core.management import call_command
from django.db.migrations.recorder import MigrationRecorder
connection.check_constraints()
applied = MigrationRecorder(connection).applied_migrations()
print(json.dumps(sorted(name for app, name in applied if app == "annotation")))
"""


def test_an_old_database_becomes_todays_also_after_kills(tmp_path):
    with installation(tmp_path / "here") as here:
        here.script(FILLED, 100)
        before = here.told(COUNTED)
        here.manage("migrate", "--verbosity", "0", "evaluation", "zero")
        here.manage("migrate", "--verbosity", "0", "annotation", OLD)
        applied = here.told(STANDS)
        for moment in (0, 5, 11):
            killed = here.script(KILLED, moment, check=False)
            assert killed.returncode == -signal.SIGKILL, killed.stderr
            now = here.told(STANDS)
            # Whole migrations or nothing of them: what was killed is not among them.
            assert len(now) == len(applied) + moment
            applied = now
        here.manage("migrate", "--verbosity", "0")
        assert here.told(COUNTED) == before
        # Seals of then are gone with their table: what guards them must guard new ones.
        assert "as it was" in here.manage("verify").stdout
        refused, tried = here.told(GUARDED)
        assert refused == tried
        assert here.manage("doctor", check=False).returncode in (0, 1)
        here.script(
            """
from django.db.migrations.recorder import MigrationRecorder
MigrationRecorder(connection).record_applied("annotation", "9999_of_a_later_version")
"""
        )
        refused = here.manage("migrate", check=False)
        assert refused.returncode == 1
        assert "9999_of_a_later_version" in refused.stderr
        assert here.told(COUNTED) == before
