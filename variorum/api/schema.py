"""The OpenAPI schema: made once, with what drf-spectacular cannot see by itself: how scripts sign in, and
which errors there are.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.generators import SchemaGenerator

from common.api import StrictSerializer

ERRORS = {
    400: "A parameter, a field or the whole body cannot be taken; its name says which.",
    401: "No key, or one that is unknown, expired or revoked.",
    403: "The key has not the scope, or its person not the right.",
    404: "There is nothing here, or nothing that you may see.",
    406: "The answer comes in no type that the request accepts.",
    409: "It does not fit what there is now.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The idempotency key was sent before with another request.",
    503: "The database or a model cannot be used at the moment: send the request again.",
}
"""What an error means, by status."""
ERROR = {
    "type": "object",
    "description": "A list of sentences for each parameter or field that is wrong, with a dot for a field "
    "within a field; `detail` for all the rest.",
    "properties": {"detail": {"type": "string"}},
    "additionalProperties": {"type": "array", "items": {"type": "string"}},
}
NO_NULL = r"^[^\u0000]*$"
"""What a text in a query may be: everything but the character that no database stores."""
IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "description": "Made by you, new for each request: sent again with the same request, within a day, it "
    "gets the stored answer, and nothing is done twice.",
}


@cache
def whole() -> dict[str, Any]:
    """Return the schema. It is the same for everybody and changes only with the code."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return made


def with_errors(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add to every operation the errors that it can answer, all in one form.

    400: every operation refuses parameters that it does not name. 404: what has a variable part in its
    address. 413, 415, 422: what takes a body, or may be sent with an idempotency key. 409: what changes
    something, since it may not fit what there is, or a request with the same key may be under way.
    """
    for path, methods in result["paths"].items():
        for method, said in methods.items():
            found = {400, 401, 403, 406, 503} | ({404} if "{" in path else set())
            if method != "get":
                found |= {409, 413} | ({415} if "requestBody" in said else set())
            if method == "post":
                found |= {422}
                said.setdefault("parameters", []).append(IDEMPOTENCY_KEY)
            if said.pop("x-file", False):
                found -= {406}
            for each in said.get("parameters", []):
                if each["in"] == "query" and each["schema"].get("type") == "string":
                    each["schema"].setdefault("pattern", NO_NULL)
            responses = said["responses"] | {str(each): _error(each) for each in found}
            said["responses"] = {each: responses[each] for each in sorted(responses)}
    result["components"]["schemas"]["Error"] = ERROR
    return result


def _error(status: int) -> dict[str, Any]:
    shape = {"$ref": "#/components/schemas/Error"}
    return {"description": ERRORS[status], "content": {"application/json": {"schema": shape}}}


class KeptSchema(SchemaGenerator):
    """Gives the view the schema that was made before."""

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        return whole()


class Strict(OpenApiSerializerExtension):
    """What refuses unknown fields says so."""

    target_class = StrictSerializer
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        found: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**found, "additionalProperties": False}


class BearerToken(OpenApiAuthenticationExtension):
    """`Authorization: Bearer vr_…`."""

    target_class = "annotation.people.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
