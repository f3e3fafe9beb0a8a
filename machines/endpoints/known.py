"""The endpoints of this installation, found by name, and what sends to each."""

from __future__ import annotations

import ssl
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol

from django.conf import settings

from common.chat import Request
from common.errors import BadField, BadInput, needs_model_packages
from machines.client.chat import Chat
from machines.client.endpoint import Abilities, Endpoint
from machines.client.redaction import Key
from machines.client.weather import Outcome
from machines.endpoints import checkpoint, reading, scripted
from machines.endpoints.reading import Described

LARGEST_FILE = 2**20


class Sender(Protocol):
    """What sends requests to one endpoint. Threads may share it."""

    def send(self, request: Request, abilities: Abilities) -> Outcome:
        """Send one request and return what came of it."""

    def close(self) -> None:
        """Let go of what is open."""


def endpoints() -> dict[str, Endpoint]:
    """Return the endpoints that may be asked, by name: those of the settings, and scripted ones."""
    return {**scripted.registered(), **_described().endpoints}


def find(name: str) -> Endpoint:
    """Return an endpoint by its name.

    Raises:
        BadField: there is none of that name.
    """
    known = endpoints()
    if name in known:
        return known[name]
    names = ", ".join(sorted(known))
    told = f"use one of: {names}" if names else "VARIORUM_MODELS names none (docs/models.md)"
    raise BadField("endpoint", f"There is no model {name!r:.60} here; {told}.")


def problems() -> list[str]:
    """Return a sentence for each thing that is wrong in the settings of endpoints."""
    return _described().problems


def key(endpoint: Endpoint) -> Key:
    """Return the endpoint's key as the environment holds it now; an empty one where none is needed or set."""
    return Key(settings.MODEL_KEY(endpoint.key_variable) if endpoint.key_variable else "")


def sender(endpoint: Endpoint) -> Sender:
    """Return what sends to an endpoint.

    Raises:
        BadInput: its folder, its function or its file of certificate authorities is not there.
    """
    if endpoint.kind == "scripted":
        return scripted.Scripted(endpoint)
    if endpoint.kind == "checkpoint":
        return checkpoint.Checkpoint(endpoint, device())
    if wrong := authorities_wrong(endpoint):
        raise BadInput(wrong)
    return Chat(endpoint, lambda: key(endpoint))


def authorities_wrong(endpoint: Endpoint) -> str:
    """Return what is wrong with an endpoint's file of certificate authorities; "" where nothing is."""
    if endpoint.ca_file is None:
        return ""
    try:
        ssl.create_default_context(cafile=str(endpoint.ca_file))
    except ssl.SSLError:
        why = "it holds no certificate in PEM"
    except OSError as error:
        why = error.strerror or "it cannot be read"
    else:
        return ""
    return f"Endpoint {endpoint.name}: ca_file {endpoint.ca_file}: {why}."


def pinned(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint with the revision that it has now: a checkpoint's is a digest of its files."""
    if endpoint.kind != "checkpoint" or endpoint.folder is None or not endpoint.folder.is_dir():
        return endpoint
    said = f"{endpoint.revision} " if endpoint.revision else ""
    return replace(endpoint, revision=f"{said}sha256:{checkpoint.digest(endpoint.folder)}")


def queue(endpoint: Endpoint) -> Literal["cpu", "gpu"]:
    """Return the queue of jobs that ask an endpoint: only a checkpoint wants a GPU, where there is one."""
    return "gpu" if endpoint.kind == "checkpoint" and settings.DEVICE == "cuda" else "cpu"


def device() -> str:
    """Return where checkpoints run in this process, "cpu" or "cuda"."""
    if settings.DEVICE != "auto":
        return str(settings.DEVICE)
    with needs_model_packages():
        import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _described() -> Described:
    """Read the settings, once for each state of the file."""
    said: str = settings.MODELS
    if not said or "\n" in said or "=" in said:
        return _read(said)
    path = Path(said)
    try:
        found = path.stat()
        if found.st_size > LARGEST_FILE:
            return Described({}, [f"{path} is too large: endpoints are described in less than a MiB."])
        return _read_file(path, found.st_mtime_ns, found.st_size)
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else "it is no text in UTF-8"
        return Described({}, [f"VARIORUM_MODELS names {path}, which cannot be read: {said}."])


@lru_cache(4)
def _read(text: str) -> Described:
    return reading.read(text)


@lru_cache(4)
def _read_file(path: Path, changed: int, size: int) -> Described:
    return reading.read(path.read_text(encoding="utf-8"))
