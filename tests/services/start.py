"""Run a command with a private PostgreSQL and Redis on loopback, and stop them afterwards.

    python tests/services/start.py COMMAND [ARGUMENT ...]

The servers listen on ports asked from the kernel, in a temporary folder, so a server
that happens to run on this machine is neither used nor disturbed. Where
VARIORUM_DATABASE_URL and VARIORUM_REDIS_URL are set already, those are used as they are.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

PASSING = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "jit": "off"}
"""How a cluster is set that goes with its tests."""


def main(command: list[str]) -> int:
    if not command:
        sys.exit(__doc__)
    with ExitStack() as stack:
        environment = dict(os.environ)
        if not (environment.get("VARIORUM_DATABASE_URL") and environment.get("VARIORUM_REDIS_URL")):
            install_missing()
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="variorum-")))
            folder.chmod(0o755)
            environment["VARIORUM_DATABASE_URL"] = stack.enter_context(postgresql(folder))
            environment["VARIORUM_REDIS_URL"] = stack.enter_context(redis(folder))
        environment.setdefault("VARIORUM_SECRET_KEY", secrets.token_urlsafe(50))
        return subprocess.call(command, env=environment)


def install_missing() -> None:
    """Debian's packages, when the servers are not installed and we may install them."""
    if postgresql_folder() and shutil.which("redis-server"):
        return
    if os.getuid() != 0 or not shutil.which("apt-get"):
        sys.exit("PostgreSQL and Redis are needed: sudo apt-get install postgresql redis-server")
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "postgresql", "redis-server"],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def postgresql_folder() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    return found[-1].parent if found else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def postgresql(folder: Path, *, durable: bool = False, **more: object) -> Iterator[str]:
    """A cluster of its own. PostgreSQL refuses to run as root, so root lends it the postgres user.

    Tests need nothing that outlives them, and their tables, which are never counted, no plans for millions of
    rows; with `durable` a commit waits for the disk, and all is as it is elsewhere. `more`: parameters of it.
    """
    programs = postgresql_folder()
    data, port, password = folder / "pg", free_port(), secrets.token_urlsafe(16)
    data.mkdir()
    secret = folder / "pg-password"
    secret.write_text(password)
    if os.getuid() == 0:
        owner = pwd.getpwnam("postgres")
        for path in (data, secret):
            os.chown(path, owner.pw_uid, owner.pw_gid)
        user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    else:
        user = {}
    initdb = [programs / "initdb", "-D", data, "-U", "variorum", "-A", "scram-sha-256", "-N"]
    subprocess.run([*initdb, f"--pwfile={secret}"], check=True, stdout=subprocess.DEVNULL, cwd="/", **user)
    options = {"port": port, "listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
    options |= more if durable else PASSING | more
    flags = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
    with (
        (folder / "pg.log").open("w") as log,
        running(
            [programs / "postgres", "-D", data, *flags],
            port,
            # At the usual signal it would wait until whoever is connected has gone.
            stop=signal.SIGINT,
            stdout=log,
            stderr=log,
            cwd="/",
            **user,
        ),
    ):
        yield f"postgresql://variorum:{password}@127.0.0.1:{port}/postgres"


def by_socket(url: str, folder: Path) -> str:
    """Return the address of a cluster by its socket in this folder (`unix_socket_directories`)."""
    parts = urlsplit(url)
    return f"postgresql://{parts.username}:{parts.password}@:{parts.port}{parts.path}?host={folder}"


def folder_of_sockets(folder: Path) -> Path:
    """Make a folder in which PostgreSQL, which runs as somebody else, may put its socket."""
    made = folder / "sockets"
    made.mkdir()
    made.chmod(0o777)
    return made


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    port, password = free_port(), secrets.token_urlsafe(16)
    settings = folder / "redis.conf"
    settings.write_text(
        f'bind 127.0.0.1\nport {port}\nrequirepass {password}\nsave ""\nappendonly no\ndir {folder}\n'
    )
    with running(["redis-server", settings], port, stdout=subprocess.DEVNULL):
        yield f"redis://:{password}@127.0.0.1:{port}/0"


@contextmanager
def running(
    command: list[object], port: int, *, stop: signal.Signals = signal.SIGTERM, **options: object
) -> Iterator[None]:
    """Start a server, wait until it accepts on `port`, and end it with the block by the signal `stop`."""
    process = subprocess.Popen([str(part) for part in command], **options)  # type: ignore[call-overload]
    try:
        deadline = time.monotonic() + 120
        while True:
            if process.poll() is not None:
                sys.exit(f"{command[0]} ended at once with status {process.returncode}.")
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if time.monotonic() > deadline:
                sys.exit(f"{command[0]} did not answer on port {port} within 120 seconds.")
            time.sleep(0.1)
        yield
    finally:
        process.send_signal(stop)
        process.wait(timeout=30)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
