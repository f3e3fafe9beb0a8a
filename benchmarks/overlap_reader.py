"""A reader of `benchmarks.overlap`: signed in at a browser, answering, clicking twice, and with old tabs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

from benchmarks import served

STALE, MOST_ERRORS = 409, 20
ACTS = {
    "answer": 50,
    "look_ahead": 10,
    "click_twice": 12,
    "send_again": 6,
    "reload": 6,
    "put_off": 6,
    "begin_in_tab": 6,
    "old_tab": 4,
}
"""What a reader does at an item, of a hundred."""


class Reader:
    """One person at their browser: what happened to them in numbers, and what was wrong in words."""

    def __init__(self, port: int, link: str, slug: str, random: Random, think: float) -> None:
        self.slug, self.random, self.think = slug, random, think
        self.happened, self.complaints = Counter[str](), list[str]()
        self.tab = served.Person(port, link)
        self.hand = ThreadPoolExecutor(1)

    def work(self, judged: Callable[[], object]) -> None:
        """Answer until the page says that nothing is left; `judged` is called after each item."""
        with self.hand:
            place = self.begin()
            while place is not None and self.happened["errors"] < MOST_ERRORS:
                time.sleep(self.random.uniform(0, 2 * self.think))
                act = self.random.choices(list(ACTS), weights=list(ACTS.values()))[0]
                place = getattr(self, act)(place)
                if act != "put_off":
                    judged()

    def answer(self, place: str) -> str | None:
        return self.submit(place, self.tab.form(self.random.randrange(3)))

    def look_ahead(self, place: str) -> str | None:
        """As scripts do: the next item's text is fetched early and named when this one is submitted."""
        reply = self.ask(self.tab.tab(), "GET", f"{place}prefetch/")
        form = self.tab.form(self.random.randrange(3))
        return self.submit(place, form, prefetch=reply.get("X-Prefetched", ""))

    def click_twice(self, place: str) -> str | None:
        """The same form twice at once: both replies must show the same next item."""
        form, other = self.tab.form(self.random.randrange(3)), self.tab.tab()
        second = self.hand.submit(self.ask, other, "POST", place, form)
        shown = self.submit(place, form)
        second.result()
        self.together(shown, other.place())
        return shown

    def send_again(self, place: str) -> str | None:
        """The reply was lost on its way, and the form is sent once more."""
        form = self.tab.form(self.random.randrange(3))
        self.ask(self.tab, "POST", place, form)
        return self.submit(place, form)

    def reload(self, place: str) -> str | None:
        self.ask(self.tab, "GET", place)
        return self.answer(place)

    def put_off(self, place: str) -> str | None:
        return self.submit(f"{place}later/", {})

    def begin_in_tab(self, place: str) -> str | None:
        """A second tab asks for an item while the first submits: it gets that one or the first's next."""
        form, other = self.tab.form(self.random.randrange(3)), self.tab.tab()
        second = self.hand.submit(self.ask, other, "POST", f"/studies/{self.slug}/begin/", {})
        shown, at = self.submit(place, form), second.result().get("Location", "")
        if "/work/" in at:
            self.ask(other, "GET", at)
            if at != place:
                self.together(shown, at)
        return shown

    def old_tab(self, place: str) -> str | None:
        """The item stands in two tabs; after the first has submitted, another form of it is refused."""
        other = self.tab.tab()
        self.ask(other, "GET", place)
        shown = self.answer(place)
        self.ask(other, "POST", place, other.form(0), wanted=STALE)
        self.happened["stale"] += 1
        return shown

    def together(self, one: str | None, other: str | None) -> None:
        if one and other and one != other:
            self.happened["apart"] += 1
            self.complaints.append(f"{one} and {other} at once")

    def submit(self, place: str, form: dict[str, str], prefetch: str = "") -> str | None:
        """Send a form of this tab; the next item, or None where the page says that nothing is left."""
        reply = self.ask(self.tab, "POST", place, form, prefetch=prefetch)
        if "Location" in reply:
            return self.follow(reply["Location"])
        shown = self.tab.place()
        if reply.get("X-Prefetched") and shown != f"/work/{reply['X-Prefetched']}/":
            self.complain(f"{place}: what waited is shown at {reply['X-Prefetched']}, not at {shown}")
        return shown or self.begin()

    def follow(self, at: str) -> str | None:
        """Where a redirect leads: an item, or what was done, which offers to go on where there is more."""
        self.ask(self.tab, "GET", at)
        return self.tab.place() or (self.begin() if f"/studies/{self.slug}/begin/" in self.tab.page else None)

    def begin(self) -> str | None:
        at = self.ask(self.tab, "POST", f"/studies/{self.slug}/begin/", {}).get("Location", "")
        if "/work/" not in at:
            return None
        self.ask(self.tab, "GET", at)
        return at

    def ask(
        self,
        tab: served.Person,
        method: str,
        path: str,
        form: dict[str, str] | None = None,
        *,
        wanted: int = 0,
        prefetch: str = "",
    ) -> dict[str, str]:
        """A request and its reply's headers; counted as an error where a reader would see one."""
        self.happened["requests"] += 1
        try:
            reply = tab.ask(method, path, form, prefetch)
        except OSError as error:
            self.complain(f"{method} {path}: {error!r}")
            return {}
        if reply.status != wanted if wanted else reply.status >= 400:
            self.complain(f"{method} {path}: {reply.status} {tab.page[:200]}")
        return dict(reply.headers)

    def complain(self, what: str) -> None:
        self.happened["errors"] += 1
        self.complaints.append(what)
