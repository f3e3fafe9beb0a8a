"""A request on its way: whole wherever it is cut, in a file where it is large, late by a slow line's rate."""

import pytest

from variorum.server.arrivals import (
    BYTES_A_SECOND,
    GRACE_SECONDS,
    LARGE,
    LONGEST_HEAD,
    PIECE,
    IncomingRequest,
)

LARGEST = 10 * LARGE
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def post(length, more=b""):
    return b"POST / HTTP/1.1\r\nContent-LENGTH:  %d\r\n%s\r\n" % (length, more)


def arrived(*pieces):
    arrival = IncomingRequest(0.0, LARGEST)
    for piece in pieces:
        assert not arrival.whole
        arrival.take(piece, 0.0)
    return arrival


@pytest.mark.parametrize("sent", [GET, post(7) + b"a=1&b=2", post(0)])
def test_it_is_whole_wherever_it_is_cut(sent):
    for at in range(1, len(sent)):
        arrival = arrived(sent[:at], sent[at:])
        assert arrival.whole
        assert bytes(arrival.head) == sent
    assert arrived(*(sent[at : at + 1] for at in range(len(sent)))).whole


@pytest.mark.parametrize(
    "head",
    [post(LARGEST + 1), post(10**18), b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"],
)
def test_what_is_refused_unread_is_not_waited_for(head):
    assert arrived(head).whole


def test_of_a_body_no_more_is_asked_for_than_is_missing():
    arrival = arrived(GET[:10])
    assert arrival.wants() == PIECE
    assert arrived(post(100) + b"x" * 40).wants() == 60
    assert arrived(post(LARGEST)).wants() == PIECE


def test_what_comes_with_a_request_is_kept_for_the_next():
    assert bytes(arrived(GET + GET[:5]).head) == GET + GET[:5]


def test_a_large_body_waits_in_a_file():
    arrival = arrived(post(2 * LARGE) + b"a")
    assert arrival.is_large
    arrival.to_file()
    arrival.take(b"b" * LARGE, 0.0)
    arrival.take(b"c" * (LARGE - 1), 0.0)
    assert arrival.whole
    assert bytes(arrival.head) == post(2 * LARGE) + b"a"
    assert arrival.file.read() == b"b" * LARGE + b"c" * (LARGE - 1)
    arrival.drop()
    assert not arrived(post(LARGE)).is_large


def test_it_is_late_by_what_has_come():
    arrival = arrived(post(LARGEST))
    assert not arrival.late(GRACE_SECONDS)
    assert arrival.late(GRACE_SECONDS + 1)
    arrival.take(b"x" * PIECE, 0.0)
    assert not arrival.late(GRACE_SECONDS + PIECE / BYTES_A_SECOND)
    assert arrival.late(GRACE_SECONDS + PIECE / BYTES_A_SECOND + 1)


def test_a_head_may_be_so_long():
    assert not arrived(b"x" * LONGEST_HEAD).has_long_head
    assert arrived(b"x" * (LONGEST_HEAD + 1)).has_long_head
    assert not arrived(post(LARGEST) + b"x" * LONGEST_HEAD).has_long_head


def test_who_waits_for_a_word_is_known_by_the_head():
    for line in (b"Expect: 100-continue\r\n", b"EXPECT:100-Continue\r\n", b"expect: \t 100-continue \r\n"):
        arrival = arrived(post(5, line))
        assert arrival.asks_to_go_on
        # It is answered then, and not to be answered again.
        assert bytes(arrival.head) == post(5)
    assert not arrived(post(25) + b"Expect: 100-continue").asks_to_go_on


def test_who_waits_for_no_word_gets_none_and_the_head_stays_as_it_is():
    whole = post(1, b"Expect: 100-continue\r\n") + b"x"
    older = post(5, b"Expect: 100-continue\r\n").replace(b"HTTP/1.1", b"HTTP/1.0")
    for sent in (whole, older):
        arrival = arrived(sent)
        assert (arrival.asks_to_go_on, bytes(arrival.head)) == (False, sent)


def test_a_head_that_ends_with_bare_lines_is_seen_wherever_it_is_cut():
    bare = GET.replace(b"\r\n", b"\n")
    assert all(arrived(bare[:at], bare[at:]).has_bare_end for at in range(1, len(bare)))
    assert not any(arrived(*each).has_bare_end for each in [(GET,), (post(9) + b"\n\n",), (post(9), b"\n\n")])
