"""A process that asks: `python -m tests.machines.rush JSON` prints what came of it."""

import json
import sys

import django

django.setup()

from common.chat import USER, Message, Request  # noqa: E402
from machines.client.endpoint import Endpoint, Prices  # noqa: E402
from machines.ledger import Asking, Stopped  # noqa: E402
from machines.models import Budget  # noqa: E402


def run(port, texts, limits, budget=None, purpose="rush"):
    endpoint = Endpoint(
        "rush", url=f"http://127.0.0.1:{port}/v1", model="m", prices=Prices(prompt=1_000_000), **limits
    )
    row = Budget.objects.get(pk=budget) if budget else None
    asking = Asking(endpoint, budget=row, purpose=purpose)
    try:
        replies = asking([Request((Message(USER, text),), max_tokens=8) for text in texts])
        return {"answered": sum(reply is not None for reply in replies), "stopped": ""}
    except Stopped as stopped:
        return {"answered": len(stopped.replies), "stopped": stopped.reason}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(**json.loads(sys.argv[1]))) + "\n")
