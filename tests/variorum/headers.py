"""What the headers of every reply must say."""

from __future__ import annotations

from django.http.response import HttpResponseBase

POLICY = {
    "default-src": "'none'", "base-uri": "'none'", "frame-ancestors": "'none'", "object-src": "'none'",
    "script-src": "'self'", "style-src": "'self'", "img-src": "'self'", "font-src": "'self'",
    "connect-src": "'self'", "form-action": "'self'",
}  # fmt: skip


def assert_strict(reply: HttpResponseBase, asked: str, *, signed_in: bool) -> None:
    """Fail, naming what was asked for, where a reply lets a page do more than it may, or be kept."""
    told = dict(part.strip().split(" ", 1) for part in reply["Content-Security-Policy"].split(";"))
    assert {name: told.get(name, "'none'") for name in POLICY} == POLICY, asked
    assert "unsafe" not in reply["Content-Security-Policy"], asked
    assert reply["X-Content-Type-Options"] == "nosniff", asked
    assert reply["X-Frame-Options"] == "DENY", asked
    assert reply["Referrer-Policy"] in ("same-origin", "no-referrer"), asked
    assert reply["Cross-Origin-Opener-Policy"] == "same-origin", asked
    # A script is the same for everybody.
    if signed_in and "/javascript" not in reply.headers.get("Content-Type", ""):
        assert "no-store" in reply.headers.get("Cache-Control", ""), (asked, reply.status_code)
    assert "Server" not in reply.headers, asked
    assert "Access-Control-Allow-Origin" not in reply.headers, asked
    for cookie in filter(lambda each: each.value, reply.cookies.values()):
        assert cookie["httponly"], (asked, cookie.key)
        assert cookie["samesite"] == "Lax", (asked, cookie.key)
