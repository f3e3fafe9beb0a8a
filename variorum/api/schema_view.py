"""The address of the schema: it is written once a process, not for each request.

Anybody may ask for it, and writing it takes 20 ms (JSON) to 70 ms (YAML) of a core. It is the same for
everybody and in every language, and changes only with the code.
"""

from __future__ import annotations

from typing import Any

from drf_spectacular.views import SpectacularAPIView
from rest_framework.renderers import BaseRenderer, JSONRenderer

from variorum.api.schema import KeptSchema, whole

_written: dict[tuple[str, int | None], str | bytes] = {}
"""The schema by format and indent: as YAML, and as JSON with an indent that DRF bounds to 8."""


class _Once(BaseRenderer):
    """Has the renderer that stands behind it write the schema once; all else, such as an error, each time."""

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        """Return the data as the renderer writes it."""
        if data is not whole():
            return super().render(data, accepted_media_type, renderer_context)
        indent = None
        if isinstance(self, JSONRenderer):
            indent = self.get_indent(accepted_media_type or "", renderer_context or {})
        key = self.format, indent
        if key not in _written:
            _written[key] = super().render(data, accepted_media_type, renderer_context)
        return _written[key]


class SchemaView(SpectacularAPIView):
    """The schema as YAML, or as JSON for those who ask for it."""

    generator_class = KeptSchema
    renderer_classes = [
        type(each.__name__, (_Once, each), {}) for each in SpectacularAPIView.renderer_classes
    ]
