"""docker/nginx.conf, tried with nginx itself where it is installed: what it keeps from the site behind it."""

import contextlib
import http.client
import json
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENT = 120
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
pytestmark = [
    pytest.mark.services,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]


class Echo(BaseHTTPRequestHandler):
    """Says what it was asked; `heard` counts requests."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.server.heard.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        said = json.dumps({**self.headers, "length": len(body)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.heard, server.daemon_threads = [], True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def proxy(site):
    """nginx with the file as it is, but for addresses and places; its https port."""
    folder = Path(tempfile.mkdtemp(prefix="variorum-nginx-"))
    folder.chmod(0o755)  # its workers run as another user
    subject = ["-subj", "/CN=localhost", "-days", "2"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject,
         "-keyout", folder / "key", "-out", folder / "certificate"],
        check=True, capture_output=True,
    )  # fmt: skip
    for _ in range(3):
        plain, secure = free_port(), free_port()
        with subprocess.Popen(command(folder, site.server_port, plain, secure)) as nginx:
            while nginx.poll() is None and not listens(secure):
                pass
            if nginx.poll() is not None:
                continue  # somebody was quicker to take a port
            yield plain, secure
            nginx.terminate()
            break
    else:
        raise AssertionError("nginx ended, time and again.")
    shutil.rmtree(folder)


def command(folder, site, plain, secure):
    """The file with these ports and this folder, and the command that runs it."""
    text = (ROOT / "docker/nginx.conf").read_text()
    for old, new in {
        "web:8000": f"127.0.0.1:{site}",
        "listen 127.0.0.1:8081": f"listen 127.0.0.1:{free_port()}",
        "listen 8080": f"listen 127.0.0.1:{plain}",
        "listen 8443": f"listen 127.0.0.1:{secure}",
        "/run/secrets/certificate-key": f"{folder}/key",
        "/run/secrets/certificate": f"{folder}/certificate",
        "/tmp/nginx": f"{folder}/nginx",
    }.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "nginx.conf").write_text(text)
    run = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]
    subprocess.run([*run, "-t"], check=True, capture_output=True)
    return [*run, "-g", "daemon off;"]


def connected(port):
    plain = socket.create_connection(("127.0.0.1", port), PATIENT)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain)


def head(length, path="/", more=""):
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{more}Content-Length: {length}\r\n\r\n".encode()


def replied(client):
    reply = http.client.HTTPResponse(client)
    reply.begin()
    return reply.status, reply.read()


def test_of_requests_that_are_not_whole_the_site_hears_nothing(proxy, site):
    with contextlib.ExitStack() as slow:
        for _ in range(60):
            slow.enter_context(connected(proxy[1])).sendall(head(1000, "/slow") + b"x")
        with connected(proxy[1]) as client:
            client.sendall(head(200_000, "/whole") + b"x" * 200_000)
            status, said = replied(client)
    assert (status, json.loads(said)["length"]) == (200, 200_000)
    assert "/whole" in site.heard
    assert "/slow" not in site.heard


def test_a_client_writes_neither_its_address_nor_that_it_came_by_https(proxy):
    lies = "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: gopher\r\n"
    with connected(proxy[1]) as client:
        client.sendall(head(0, more=lies))
        said = json.loads(replied(client)[1])
    assert (said["X-Forwarded-For"], said["X-Forwarded-Proto"]) == ("127.0.0.1", "https")


def test_what_no_form_takes_is_refused_by_the_proxy(proxy, site):
    with connected(proxy[1]) as client:
        client.sendall(head(40 * 2**20, "/large"))
        assert replied(client)[0] == 413
    assert "/large" not in site.heard


def test_who_comes_without_https_is_sent_there(proxy):
    with socket.create_connection(("127.0.0.1", proxy[0]), PATIENT) as client:
        client.sendall(head(0, "/login/"))
        reply = http.client.HTTPResponse(client)
        reply.begin()
    assert (reply.status, reply.headers["Location"]) == (308, "https://localhost/login/")
