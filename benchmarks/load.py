"""Readers without pause on the real site, on SQLite and on PostgreSQL, by several numbers of web processes.

    nice python -m benchmarks.load [--readers 50] [--seconds 60] [--web 2 4 8] [--items 6000]
                                   [--database sqlite postgresql socket] [--rounds 1] [--peer [FOLDER]]

Everything is on loopback, in folders that are removed, and on the same cores: the web server as `manage.py
serve` starts it, a private PostgreSQL whose commits wait for the disk (reached by TCP, or by its `socket`),
and the readers, who are threads of one process. Each combination is a process of its own, and rounds go
through all of them in turn, so that what else the machine does falls on all. Printed is a line for each; exit
status 1: an invariant did not hold, or a reader saw an error.

With --peer each combination is followed by the same of doccano: as many readers, seconds, web processes and
items, the same kind of database, and the seven requests that its page makes of an item, where ours makes one.
Its program is installed into FOLDER first (`benchmarks/requirements-peer.txt`), and kept there.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import load_readers, served
from benchmarks.memory import processor_seconds, resident_megabytes

OVERLAP, WARM_SECONDS = 3, 2.0
PEER = Path(__file__).resolve().parents[1] / "var/doccano"
COLUMNS = {
    "site": "8",
    "database": "10",
    "web": "3",
    "steps/s": "7.1f",
    "p50": "6.0f",
    "p95": "6.0f",
    "p99": "6.0f",
    "longest": "7.0f",
    "errors": "6",
    "faults": "6",
    "fairness": "8.2f",
    "web ms": "6.1f",
    "server ms": "9.1f",
    "readers ms": "10.1f",
    "MB": "4.0f",
}
NAMES = {"site", "database"}
MEANING = """
p50 to longest: milliseconds of a step. errors: what a reader saw instead of the next item. faults: of the
invariants I1 to I5 and I7. fairness: steps of the slowest reader over those of the fastest. web, server and
readers: their processor time of a step, in milliseconds; the server is PostgreSQL. MB: memory of the web.
"""


def measured(readers: int, seconds: float, web: int, items: int, server: int) -> dict[str, Any]:
    """One combination, on the database that the environment names; `server`: PostgreSQL's process, or 0."""
    with served.folder() as folder:
        served.prepare(folder)
        links, _ = served.open_study("load", items=items, readers=readers, overlap=OVERLAP)
        with served.served(web) as (port, process):
            people = load_readers.signed_in(port, links, "load")
            early = load_readers.work(people, "load", WARM_SECONDS)
            before, start = spent(process.pid, server), time.monotonic()
            journals = load_readers.work(people, "load", seconds)
            took = time.monotonic() - start
            computed = [now - was for now, was in zip(spent(process.pid, server), before, strict=True)]
            memory = resident_megabytes(process.pid)
        faults = load_readers.faults("load", OVERLAP, [*early, *journals])
    return {**summary(journals, took, computed), "faults": faults, "MB": memory}


def measured_peer(
    readers: int, seconds: float, web: int, items: int, server: int, python: Path
) -> dict[str, Any]:
    """The same of doccano, whose Python is named."""
    from benchmarks.peer import doccano

    with served.folder() as folder:
        site = doccano.Site(python, Path(folder), os.environ["VARIORUM_DATABASE_URL"])
        made = site.project(items, readers)
        with site.served(web) as (port, process):
            people = [doccano.Reader(port, made, session) for session in made["sessions"]]
            early = doccano.work(people, WARM_SECONDS)
            before, start = spent(process.pid, server), time.monotonic()
            journals = doccano.work(people, seconds)
            took = time.monotonic() - start
            computed = [now - was for now, was in zip(spent(process.pid, server), before, strict=True)]
            memory = resident_megabytes(process.pid)
    return {**summary(journals, took, computed), "faults": doccano.faults([early, journals]), "MB": memory}


def spent(web: int, server: int) -> list[float]:
    """Processor seconds of the web, of the server and of this process, so far."""
    return [processor_seconds(web), processor_seconds(server) if server else 0.0, time.process_time()]


def summary(
    journals: Sequence[load_readers.Journal], took: float, computed: Sequence[float]
) -> dict[str, Any]:
    """The numbers of one run that lasted `took` seconds."""
    steps = [1000 * each for journal in journals for each in journal.seconds]
    if len(steps) < 2:
        raise SystemExit(f"Nobody came further: {sum((each.errors for each in journals), Counter())}")
    cut = statistics.quantiles(steps, n=100, method="inclusive")
    each = [len(journal.seconds) for journal in journals]
    named = zip(("web ms", "server ms", "readers ms"), computed, strict=True)
    return {
        "steps/s": len(steps) / took,
        "p50": cut[49],
        "p95": cut[94],
        "p99": cut[98],
        "longest": max(steps),
        "errors": dict(sum((journal.errors for journal in journals), Counter[str]())),
        "fairness": min(each) / max(each),
        **{name: 1000 * value / len(steps) for name, value in named},
    }


def one(readers: str, seconds: str, web: str, items: str, server: str, *peer: str) -> dict[str, Any]:
    """One combination, as a process of its own is asked for it."""
    numbers = int(readers), float(seconds), int(web), int(items), int(server)
    return measured_peer(*numbers, Path(*peer)) if peer else measured(*numbers)


def line(found: dict[str, Any]) -> str:
    """One row of the table; errors and faults as their sums."""
    row = {**found, "errors": sum(found["errors"].values()), "faults": sum(found["faults"].values())}
    return "  ".join(f"{row[name]:{'<' if name in NAMES else '>'}{form}}" for name, form in COLUMNS.items())


@contextmanager
def database(name: str) -> Iterator[tuple[dict[str, str], int]]:
    """What the environment says of a new database, and the process of its server, if there is one."""
    from tests.services import start

    if name == "sqlite":
        yield {"VARIORUM_DATABASE_URL": "", "VARIORUM_REDIS_URL": ""}, 0
        return
    start.install_missing()
    with tempfile.TemporaryDirectory(prefix="variorum-load-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        sockets = start.folder_of_sockets(folder)
        with start.postgresql(folder, durable=True, unix_socket_directories=sockets) as url:
            pid = int((folder / "pg/postmaster.pid").read_text(encoding="ascii").split()[0])
            reached = start.by_socket(url, sockets) if name == "socket" else url
            yield {"VARIORUM_DATABASE_URL": reached, "VARIORUM_REDIS_URL": ""}, pid


def in_its_own_process(name: str, web: int, asked: argparse.Namespace, *peer: Path) -> dict[str, Any]:
    """The numbers of one combination, which a process of its own measures; with `peer`, a Python, of it."""
    numbers = [asked.readers, asked.seconds, web, asked.items]
    with database(name) as (environment, server):
        command = [sys.executable, "-m", "benchmarks.load", "--one", *map(str, [*numbers, server, *peer])]
        done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, check=True)
    site = "doccano" if peer else "variorum"
    return {"site": site, "database": name, "web": web, **json.loads(done.stdout.splitlines()[-1])}


def rows(asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Each combination, as often as was asked, in turn; ours and then the peer's."""
    peer = []
    if asked.peer:
        from benchmarks.peer import doccano

        peer = [doccano.installed(asked.peer)]
    for _ in range(asked.rounds):
        for web in asked.web:
            for name in asked.database:
                yield in_its_own_process(name, web, asked)
                if peer:
                    yield in_its_own_process(name, web, asked, *peer)


def ratios(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Ours beside the peer, the rounds together: steps a second, and the processor's time of a step.

    The second says something on a busy machine, too; PostgreSQL's is part of it.
    """
    for place in dict.fromkeys((row["database"], row["web"]) for row in found):
        rate, work = Counter[str](), Counter[str]()
        for row in found:
            if (row["database"], row["web"]) == place:
                rate[row["site"]] += row["steps/s"]
                work[row["site"]] += row["web ms"] + row["server ms"]
        if rate["doccano"]:
            steps, processor = rate["variorum"] / rate["doccano"], work["doccano"] / work["variorum"]
            yield (
                f"{place[0]}, {place[1]} web processes: {steps:.2f} times doccano's steps a second, "
                f"with {1 / processor:.2f} of its processor's time a step"
            )


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--readers", type=int, default=50, help="without pause (default 50)")
    parser.add_argument("--seconds", type=float, default=60, help="of each run (default 60)")
    parser.add_argument("--web", type=int, nargs="+", default=[2, 4, 8], help="web processes (default 2 4 8)")
    parser.add_argument("--items", type=int, default=6000, help="of the study (default 6000)")
    parser.add_argument(
        "--database",
        nargs="+",
        choices=["sqlite", "postgresql", "socket"],
        default=["sqlite", "postgresql"],
        help="socket: PostgreSQL by its socket (default: the others)",
    )
    parser.add_argument("--rounds", type=int, default=1, help="through all combinations (default 1)")
    parser.add_argument(
        "--peer", nargs="?", type=Path, const=PEER, metavar="FOLDER", help="doccano as well (in var/doccano)"
    )
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args(argv)
    if asked.one:
        print(json.dumps(one(*asked.one)))
        return 0
    if asked.peer and "socket" in asked.database:
        parser.error("--peer is measured by TCP: leave the socket out.")
    print(
        "  ".join(
            f"{name:{'<' if name in NAMES else '>'}{form.split('.')[0]}}" for name, form in COLUMNS.items()
        )
    )
    well, found = True, []
    for row in rows(asked):
        found.append(row)
        print(line(row), flush=True)
        if row["site"] == "variorum":
            well &= not row["errors"] and not any(row["faults"].values())
        for wrong in ("errors", "faults"):
            if sum(row[wrong].values()):
                print(f"    {wrong}: {row[wrong]}", flush=True)
    print("\n".join(ratios(found)))
    print(MEANING)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
