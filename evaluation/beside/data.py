"""The block on machine readers for scripts: keys of the JSON report, rows of the CSV report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.beside.sentences import notes, summary
from evaluation.metrics.machines.likeness import MeanLikeness
from evaluation.values.beside import Against, Beside, MachineColumn

PLAIN = (
    "name", "title", "model", "scripted", "prompt", "n_items", "n_read", "n_answered", "undecided", "read_in",
)  # fmt: skip
PAIRED = {"gold": "on_gold", "majority_of_others": "on_others", "settled": "on_settled"}


def data(found: Beside | None) -> dict[str, Any] | None:
    """The block as plain values with full precision; null without a machine reader."""
    if found is None:
        return None
    return {
        "summary": list(summary(found)),
        "likeness": found.likeness,
        "level": found.level,
        "over": "topics" if found.over_topics else "items",
        "people": {
            "undecided": found.people_undecided,
            "gold": found.people_gold._asdict(),
            "between": found.between_people._asdict(),
        },
        "readers": [
            {
                name: one._asdict() if isinstance(one, MeanLikeness) else one
                for name, one in each._asdict().items()
            }
            for each in found.readers
        ],
        "machines": [_machine(each) for each in found.machines],
        "notes": list(notes(found)),
    }


def _machine(each: MachineColumn) -> dict[str, Any]:
    return {
        **{name: getattr(each, name) for name in PLAIN},
        "states": dict(each.states),
        "n_instructions": each.n_instructions,
        "gold": each.gold._asdict(),
        "people": each.people._asdict(),
        "majority": each.majority._asdict(),
        "settled": each.settled._asdict(),
        "as_reader": each.as_reader and {**each.as_reader._asdict(), "verdict": each.as_reader.verdict},
        "readers": {name: one._asdict() for name, one in each.readers},
        "measures": [
            {
                "measure": line.measure.slug,
                "value": line.estimate.value,
                "low": line.estimate.low,
                "high": line.estimate.high,
                "method": line.estimate.method,
                "n_items": line.estimate.n_items,
                "n_judgments": line.estimate.n_judgments,
                "reason": line.estimate.reason,
            }
            for line in each.lines
        ],
        "on_gold": _paired(each.on_gold),
        "beside_majority_of_others": _paired(each.on_others),
        "on_settled": _paired(each.on_settled),
        "confusion": [
            {"question": one.name, "labels": list(one.labels), "counts": one.counts.tolist()}
            for one in each.confusions
        ],
        "repeated": None
        if each.repeated is None
        else {
            **each.repeated.every._asdict(),
            "by_grade": [one._asdict() for one in each.repeated.by_grade],
        },
        "places": None
        if each.places is None
        else {**each.places.test._asdict(), "same_in_other_orders": each.places.same._asdict()},
        "query_words": None if each.words is None else each.words._asdict(),
    }


def _paired(found: tuple[Against, ...]) -> list[dict[str, Any]]:
    return [{"reader": one.reader, **one.found._asdict()} for one in found]


def rows(found: Beside | None) -> Iterator[dict[str, Any]]:
    """Rows of the CSV report; ``annotator`` is the machine's name, or both names where two are compared;
    ``read_in``: where answers come from that were read in."""
    for each in found.machines if found else ():
        yield from ({**row, "read_in": each.read_in} for row in _rows(each))


def _rows(each: MachineColumn) -> Iterator[dict[str, Any]]:
    """Rows of one machine reader."""
    yield from _counts(each)
    for number in ("gold", "people", "majority", "settled"):
        one = getattr(each, number)
        yield {"annotator": each.name, "number": f"machine_like_{number}", **_mean(one)}
    yield from _as_reader(each)
    for name, one in each.readers:
        yield {"annotator": f"{each.name} {name}", "number": "machine_like_reader", **_mean(one)}
    for number, field in PAIRED.items():
        for against in getattr(each, field):
            yield {
                "annotator": f"{each.name} {against.reader}",
                "number": f"machine_minus_reader_on_{number}",
                "value": against.found.difference,
                "p": against.found.p_holm,
                "p_method": f"{against.found.test}, adjusted by Holm's method",
                "n_items": against.found.n_items,
            }
    if each.repeated:
        yield {"annotator": each.name, "number": "machine_same_again", **_mean(each.repeated.every)}
    if each.places:
        test = each.places.test
        yield {
            "annotator": each.name,
            "number": "machine_places",
            "label": " ".join(map(str, test.counts)),
            "p": test.p,
            "p_method": test.method,
        }
        yield {
            "annotator": each.name,
            "number": "machine_same_in_other_order",
            **_mean(each.places.same),
        }
    if each.words:
        words = each.words
        yield {"annotator": each.name, "number": "machine_query_words_rho", "value": words.machine}
        yield {"annotator": each.name, "number": "people_query_words_rho", "value": words.people}


def _as_reader(each: MachineColumn) -> Iterator[dict[str, Any]]:
    found = each.as_reader
    if found is None:
        return
    for number in ("with_people", "among_people"):
        value = getattr(found, number)
        yield {
            "annotator": each.name,
            "number": f"machine_{number}",
            "value": value,
            "n_items": found.n_items,
        }
    yield {
        "annotator": each.name,
        "number": "machine_with_minus_among_people",
        "label": found.verdict,
        "value": found.difference,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "p": found.p_holm,
        "p_method": "sign-flip, adjusted by Holm's method",
        "n_items": found.n_items,
    }


def _counts(each: MachineColumn) -> Iterator[dict[str, Any]]:
    label = f"{each.title}{' (scripted)' if each.scripted and 'scripted' not in each.title else ''}"
    for name in ("n_read", "n_answered", "undecided", "n_instructions"):
        yield {
            "annotator": each.name,
            "number": f"machine_{name}",
            "label": label,
            "value": getattr(each, name),
        }


def _mean(one: MeanLikeness) -> dict[str, Any]:
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "method": one.method,
        "n_items": one.n_items,
        "n_judgments": one.n,
    }
