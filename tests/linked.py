"""What a browser does with a link: the code goes by POST, which leads to a page, whose button is pressed."""

from __future__ import annotations

import re
from typing import Any


def parts(path: str) -> tuple[str, str]:
    """The address that the browser asks for, and the code that it keeps."""
    address, _, code = path.partition("#")
    return address, code


def look(browser: Any, path: str) -> Any:
    """The page of a link, before its button."""
    address, code = parts(path)
    page = browser.post(address, {"token": code}, follow=True)
    page.path = page.request["PATH_INFO"]
    return page


def fields(page: Any) -> dict[str, str]:
    """What the form with the button sends."""
    return dict(re.findall(r'name="(press|leaving)" value="([^"]*)"', page.text))


def press(browser: Any, path: str, **typed: str) -> Any:
    """The reply to the button of a link's page; to the link itself, where its page has none."""
    page = look(browser, path)
    sent = fields(page) if page.status_code == 200 else {}
    return browser.post(page.path, {**sent, **typed}) if sent else page


def once_more(browser: Any) -> Any:
    """The same browser as it is now: what it sends before a reply has arrived carries these cookies."""
    other = browser.__class__()
    other.cookies.load(browser.cookies.output(header="", sep=";"))
    return other
