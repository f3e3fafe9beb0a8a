"""Scripted models for the tests, named in settings as an installation would."""

import json


def obedient(request):
    """Does what a schema says, and otherwise says what is asked."""
    if request.schema:
        (name, told), *_ = request.schema["properties"].items()
        return json.dumps({name: told["enum"][0]})
    return request.messages[-1].content.upper()


NO_FUNCTION = "a text"
