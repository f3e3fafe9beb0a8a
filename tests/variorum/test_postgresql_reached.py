"""PostgreSQL is reached by its socket, or encrypted by its certificate, as its address says."""

from __future__ import annotations

import os
import pwd
import tempfile
from pathlib import Path

import pytest
import trustme
from django.db import OperationalError
from django.db import connection as default

from tests.services import start
from variorum import env

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db,
    pytest.mark.skipif(default.vendor != "postgresql", reason="it is about PostgreSQL"),
]
REACHED = "SELECT inet_client_addr() IS NULL, (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid())"


def certificate(folder):
    """Write a certificate for 127.0.0.1 with its key, and that of the authority which signed it."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    ca, cert, key = (folder / name for name in ("ca.pem", "server.crt", "server.key"))
    authority.cert_pem.write_to_path(ca)
    issued.cert_chain_pems[0].write_to_path(cert)
    issued.private_key_pem.write_to_path(key)
    cert.chmod(0o644)
    key.chmod(0o600)
    if os.getuid() == 0:  # PostgreSQL runs as somebody else, and reads no key of others.
        os.chown(key, pwd.getpwnam("postgres").pw_uid, -1)
    return ca, cert, key


@pytest.fixture(scope="module")
def cluster():
    """A server with a socket and a certificate: its address, its socket's folder, its authority."""
    with tempfile.TemporaryDirectory(prefix="variorum-") as made:
        folder = Path(made)
        folder.chmod(0o755)
        ca, cert, key = certificate(folder)
        sockets = start.folder_of_sockets(folder)
        files = {"ssl_cert_file": cert, "ssl_key_file": key}
        with start.postgresql(folder, unix_socket_directories=sockets, ssl="on", **files) as url:
            yield url, sockets, ca


def reached(monkeypatch, tmp_path, url):
    """Whether by a socket, and whether encrypted."""
    monkeypatch.setenv("VARIORUM_DATABASE_URL", url)
    made = default.copy(alias="reached")
    made.settings_dict = {**made.settings_dict, **env.database(tmp_path)}
    try:
        with made.cursor() as cursor:
            cursor.execute(REACHED)
            return cursor.fetchone()
    finally:
        made.close()


def test_by_its_socket(monkeypatch, tmp_path, cluster):
    url, sockets, _ = cluster
    assert reached(monkeypatch, tmp_path, start.by_socket(url, sockets)) == (True, False)


def test_encrypted_where_its_certificate_is_right(monkeypatch, tmp_path, cluster):
    url, _, ca = cluster
    said = reached(monkeypatch, tmp_path, f"{url}?sslmode=verify-full&sslrootcert={ca}")
    assert said == (False, True)


def test_not_at_all_where_it_is_somebody_elses(monkeypatch, tmp_path, cluster):
    url, _, _ = cluster
    other, *_ = certificate(tmp_path)
    with pytest.raises(OperationalError, match="certificate verify failed"):
        reached(monkeypatch, tmp_path, f"{url}?sslmode=verify-full&sslrootcert={other}")


def test_not_at_all_where_it_is_of_another_address(monkeypatch, tmp_path, cluster):
    url, _, ca = cluster
    elsewhere = url.replace("127.0.0.1", "localhost")
    with pytest.raises(OperationalError, match="does not match host name"):
        reached(monkeypatch, tmp_path, f"{elsewhere}?sslmode=verify-full&sslrootcert={ca}")
