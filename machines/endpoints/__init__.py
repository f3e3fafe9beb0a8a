"""Which models this installation may ask: its settings say so, and no page can add to them."""

from machines.client.endpoint import Endpoint
from machines.endpoints.known import Sender, endpoints, find, pinned, problems, queue, sender
from machines.endpoints.scripted import register

__all__ = ["Endpoint", "Sender", "endpoints", "find", "pinned", "problems", "queue", "register", "sender"]
