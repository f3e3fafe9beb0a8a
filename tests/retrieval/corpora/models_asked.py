"""A scripted model for tests of what is asked about a corpus: it answers by what documents say."""

import json
import re

from machines.client.endpoint import Endpoint, Prices
from machines.endpoints import scripted

SHOWN = re.compile(r"^\[(\d+)\] (\".*\")$", re.M)


class Model:
    """Answers by the hour that a document names, and keeps what it was asked.

    say: answers instead, from all words of the request; None: leave it to the model.
    """

    def __init__(self):
        self.asked = []
        self.say = lambda words: None

    def __call__(self, request):
        self.asked.append(request)
        words = "\n".join(message.content for message in request.messages)
        said = self.say(words)
        if said is not None:
            return said
        shown = [(int(n), hour(json.loads(text))) for n, text in SHOWN.findall(words)]
        if shown:
            return " > ".join(f"[{n}]" for n, _ in sorted(shown, key=lambda each: -each[1]))
        return json.dumps({"score": hour(words)})


def hour(words):
    return int(re.search(r"at hour (\d+)", words).group(1))


def registered():
    """Make a model known to this test, as `scripted`; return it."""
    model = Model()
    scripted.register(
        Endpoint("scripted", "A script", "scripted", model="hours", prices=Prices(1_000_000, 2_000_000)),
        model,
    )
    return model
