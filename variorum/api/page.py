"""The API for people: the OpenAPI schema as a page that needs no script and no other host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.people.tokens import SCOPES
from variorum.api.schema import whole


class SchemaField(NamedTuple):
    """A field of a request or a reply.

    name: its key.
    kind: type or choices.
    required: whether it must be there.
    description: what it holds.
    """

    name: str
    kind: str
    required: bool
    description: str


class Operation(NamedTuple):
    """One method at one address.

    method: GET, POST and so on.
    path: the address, with names for its variable parts.
    description: what it does.
    parameters: what the address and its query take; headers are told once, on the page.
    body: fields of what is sent.
    reply: fields of what comes back, of one entry where entries come in pages.
    """

    method: str
    path: str
    description: str
    parameters: list[SchemaField]
    body: list[SchemaField]
    reply: list[SchemaField]


@require_safe
def api_page(request: HttpRequest) -> HttpResponse:
    """Show the API's description, without a script."""
    return render(request, "api.html", {"groups": groups(), "scopes": SCOPES})


@cache
def groups() -> dict[str, list[Operation]]:
    """Return the operations by the first part of their path. The schema changes only with the code."""
    schema = whole()
    found: dict[str, list[Operation]] = {}
    for operation in operations(schema):
        found.setdefault(operation.path.split("/")[3], []).append(operation)
    found.pop("schema", None)
    return found


def operations(schema: Mapping[str, Any]) -> Iterator[Operation]:
    """Yield the operations of an OpenAPI schema."""
    for path, methods in schema["paths"].items():
        for method, said in methods.items():
            yield Operation(
                method.upper(),
                path,
                said.get("description", ""),
                [parameter(each) for each in said.get("parameters", []) if each["in"] != "header"],
                fields(schema, said.get("requestBody", {})),
                fields(schema, first_reply(said["responses"])),
            )


def first_reply(responses: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the reply of success: the lowest status that carries a body."""
    with_body = [
        responses[code] for code in sorted(responses) if code < "300" and "content" in responses[code]
    ]
    return with_body[0] if with_body else {}


def parameter(said: Mapping[str, Any]) -> SchemaField:
    """Return a parameter of the schema."""
    return SchemaField(
        said["name"], kind(said["schema"]), said.get("required", False), said.get("description", "")
    )


def fields(schema: Mapping[str, Any], said: Mapping[str, Any]) -> list[SchemaField]:
    """Return the fields of a JSON body, those of one entry where the body is a page of entries."""
    shape = resolve(schema, said.get("content", {}).get("application/json", {}).get("schema", {}))
    entries = shape.get("properties", {}).get("results")
    if entries:
        shape = resolve(schema, entries["items"])
    required = set(shape.get("required", []))
    return [
        SchemaField(name, kind(resolve(schema, value)), name in required, value.get("description", ""))
        for name, value in shape.get("properties", {}).items()
    ]


def resolve(schema: Mapping[str, Any], shape: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the shape that a reference names, or the shape itself."""
    while "$ref" in shape:
        shape = schema["components"]["schemas"][shape["$ref"].rsplit("/", 1)[1]]
    return shape


def kind(shape: Mapping[str, Any]) -> str:
    """Return the type of a shape in words: its choices, its format or its type."""
    if "enum" in shape:
        return " | ".join(map(str, shape["enum"]))
    return str(shape.get("format") or shape.get("type") or "object")
