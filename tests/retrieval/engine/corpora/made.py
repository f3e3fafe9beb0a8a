"""Small corpora for the tests, and their indexes."""

from pathlib import Path
from random import Random

from retrieval.engine.corpora.building import build
from retrieval.engine.corpora.index import CorpusIndex
from retrieval.engine.corpora.tokenising import TokenSettings

WORDS = [f"w{number:02d}" for number in range(60)]


def texts(seed: int, number: int, longest: int = 30) -> list[str]:
    """Documents whose words follow Zipf's law; some are empty, some are equal."""
    random = Random(seed)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    found = [" ".join(random.choices(WORDS, weights, k=random.randint(0, longest))) for _ in range(number)]
    return [random.choice(found) if random.random() < 0.1 else text for text in found]


def indexed(folder: Path, documents: list[str], name: str = "index", **given) -> CorpusIndex:
    """The index of these documents; `given` goes to `build`."""
    settings = given.pop("settings", TokenSettings())
    build(folder / name, lambda first: documents[first:], len(documents), settings=settings, **given)
    return CorpusIndex(folder / name)
