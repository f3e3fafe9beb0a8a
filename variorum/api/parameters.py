"""Parameters of addresses: what the schema does not name, or takes once and is given twice, is refused, never
silently ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from django.http import HttpRequest, JsonResponse, QueryDict
from django.http.response import HttpResponseBase

from variorum.api.errors import BELOW
from variorum.api.schema import whole

Next = Callable[[HttpRequest], HttpResponseBase]

TWICE = "It is given more than once, and can be taken once."


class Address(NamedTuple):
    """An address of the schema.

    parts: between its slashes; those in braces stand for anything.
    parameters: names of what its query may hold, by method, and whether it may hold each more than once.
    """

    parts: list[str]
    parameters: dict[str, dict[str, bool]]

    def fits(self, parts: list[str]) -> bool:
        """Return whether an address that was asked for is of this one."""
        pairs = zip(self.parts, parts, strict=False)
        return len(parts) == len(self.parts) and all(own in ("{}", each) for own, each in pairs)


def known_parameters(get_response: Next) -> Next:
    """Refuse a query below /api/ that holds what the schema does not name for this address and method, or
    twice what it can hold once: of two values the last would be taken, and the other forgotten.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.GET or not request.path_info.startswith(BELOW):
            return get_response(request)
        allowed = parameters_of(request.path_info, str(request.method))
        wrong = {} if allowed is None else refused(request.GET, allowed)
        return JsonResponse(wrong, status=400) if wrong else get_response(request)

    return middleware


def refused(query: QueryDict, allowed: dict[str, bool]) -> dict[str, list[str]]:
    """Return what is wrong with each parameter of a query, by its name."""
    said = f"Use: {', '.join(allowed)}." if allowed else "This address takes none."
    unknown = {each: [f"Unknown parameter. {said}"] for each in sorted(set(query) - set(allowed))}
    twice = [each for each, many in allowed.items() if not many and len(query.getlist(each)) > 1]
    return unknown | {each: [TWICE] for each in twice}


def parameters_of(path: str, method: str) -> dict[str, bool] | None:
    """Return what the query of a request may hold; None for an address or a method that is not there."""
    parts = path.split("/")
    fitting = [each for each in addresses() if each.fits(parts)]
    if not fitting:
        return None
    # A written word is nearer than a part that stands for anything.
    nearest = min(fitting, key=lambda each: each.parts.count("{}"))
    return nearest.parameters.get("GET" if method == "HEAD" else method)


@cache
def addresses() -> list[Address]:
    """Return all addresses of the schema. They change only with the code."""
    return [
        Address(
            ["{}" if each.startswith("{") else each for each in path.split("/")],
            {
                method.upper(): {
                    each["name"]: each["schema"].get("type") == "array"
                    for each in said.get("parameters", [])
                    if each["in"] == "query"
                }
                for method, said in methods.items()
            },
        )
        for path, methods in whole()["paths"].items()
    ]
