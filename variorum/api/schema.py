"""The OpenAPI schema: made once, with how scripts sign in, which drf-spectacular cannot see by itself."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator


@cache
def whole() -> dict[str, Any]:
    """Return the schema. It is the same for everybody and changes only with the code."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return made


class KeptSchema(SchemaGenerator):
    """Gives the view the schema that was made before."""

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        return whole()


class BearerToken(OpenApiAuthenticationExtension):
    """`Authorization: Bearer vr_…`."""

    target_class = "annotation.people.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
