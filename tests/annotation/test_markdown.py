"""The marks of guidelines: few, and nothing of the writer's own HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.texts.markdown import html

ALLOWED = {"p", "br", "ul", "ol", "li", "blockquote", "strong", "em", "code", "a"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One.\nTwo.\n\nThree.", "<p>One.<br>Two.</p>\n<p>Three.</p>"),
        ("# Rules\nRead.", '<p class="heading">Rules</p>\n<p>Read.</p>'),
        (
            "First:\n- one\n- *two*\n\n1. a\n2) b",
            "<p>First:</p>\n<ul><li>one</li><li><em>two</em></li></ul>\n<ol><li>a</li><li>b</li></ol>",
        ),
        ("> the sea\n> the lamps", "<blockquote><p>the sea<br>the lamps</p></blockquote>"),
        ("**Never** guess.", "<p><strong>Never</strong> guess.</p>"),
        ("2 * 3 * 4 and a*b*c and ** x **", "<p>2 * 3 * 4 and a*b*c and ** x **</p>"),
        ("`**not**` <b>bold</b>", "<p><code>**not**</code> &lt;b&gt;bold&lt;/b&gt;</p>"),
        (
            "[the page](https://example.org/a?b=1&c=2)",
            '<p><a href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer">the page</a></p>',
        ),
        (
            "**[a**](https://x/*b*) and *c*",
            '<p>**<a href="https://x/*b*" rel="noopener noreferrer">a**</a> and <em>c</em></p>',
        ),
        ("1. a\n\n2. b", '<ol><li>a</li></ol>\n<ol start="2"><li>b</li></ol>'),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ('[x](https://a" onclick="b)', "<p>[x](https://a&quot; onclick=&quot;b)</p>"),
        ("", ""),
    ],
)
def test_marks(text, shown):
    assert html(text) == shown


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@given(st.text(alphabet="ab *`_#->1.)([]<>&\"'\n/:htpsmailtojvcr", max_size=120))
def test_whatever_is_written_only_known_tags_come_out_and_all_are_closed(text):
    tags = Tags()
    tags.feed(html(text))
    assert tags.open == []
    for tag, attributes in tags.seen:
        assert tag in ALLOWED
        assert set(attributes) <= {"class", "href", "rel", "start"}
        assert re.match(r"https?://|mailto:|$", attributes.get("href") or "")
