"""The span measures once more, slowly and exactly: sets of tokens and fractions, one pair after the other."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, permutations
from typing import NamedTuple


class Study(NamedTuple):
    """``rows``: (item, annotator, start, end); ``anchors``: (start, end) or None; ``lengths`` of passages."""

    rows: list[tuple[int, int, int, int]]
    anchors: list[tuple[int, int] | None]
    lengths: list[int]

    def by_item(self) -> dict[int, list[tuple[int, int]]]:
        """Items with two spans or more."""
        found = defaultdict(list)
        for item, _, start, end in sorted(self.rows):
            found[item].append((start, end))
        return {item: spans for item, spans in found.items() if len(spans) >= 2}


def jaccard(one: tuple[int, int], other: tuple[int, int]) -> Fraction:
    a, b = set(range(*one)), set(range(*other))
    return Fraction(len(a & b), len(a | b))


def exact_values(study: Study, weighting: str = "pair") -> dict[str, Fraction | None]:
    """Every span measure; None where undefined."""
    items = study.by_item()
    o, a, u, same, placed, weight = ([] for _ in range(6))
    for item, spans in items.items():
        pairs = list(combinations(spans, 2))
        for one, other in pairs:
            tokens = set(range(*one)), set(range(*other))
            weight.append(Fraction(1, len(pairs)) if weighting == "item" else Fraction(1))
            o.append(jaccard(one, other))
            a.append(Fraction(len(tokens[0] & tokens[1])))
            u.append(Fraction(len(tokens[0] | tokens[1])))
            same.append(Fraction(one == other))
            placed.append(_placed(one, other, study.lengths[item]))
    if not items:
        return dict.fromkeys(
            ["lcs_overlap_kappa", "observed_overlap", "identical_pairs", "span_alpha", "placement_kappa",
             "token_alpha"]
        )  # fmt: skip
    observed = _mean(o, weight)
    return {
        "lcs_overlap_kappa": _corrected(observed, _mean(a, weight) / _mean(u, weight)),
        "observed_overlap": observed,
        "identical_pairs": _mean(same, weight),
        "span_alpha": _alpha(
            [
                [(start - study.anchors[item][0], end - study.anchors[item][0]) for start, end in spans]
                for item, spans in items.items()
                if study.anchors[item] is not None
            ],
            lambda one, other: 1 - jaccard(one, other),
        ),
        "placement_kappa": _corrected(observed, _mean(placed, weight)),
        "token_alpha": _alpha(
            [
                [start <= token < end for start, end in spans]
                for item, spans in items.items()
                for token in range(study.lengths[item])
            ],
            lambda one, other: Fraction(one != other),
        ),
    }


def _mean(values, weights) -> Fraction:
    return sum((v * w for v, w in zip(values, weights, strict=True)), Fraction(0)) / sum(weights)


def _corrected(observed: Fraction, expected: Fraction) -> Fraction | None:
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _placed(one: tuple[int, int], other: tuple[int, int], length: int) -> Fraction:
    """Mean overlap over all placements, by enumeration."""
    a, b = one[1] - one[0], other[1] - other[0]
    found = [jaccard((x, x + a), (y, y + b)) for x in range(length - a + 1) for y in range(length - b + 1)]
    return sum(found, Fraction(0)) / len(found)


def _alpha(units: list[list], distance) -> Fraction | None:
    """Krippendorff's definition: within units over n_u - 1, across everything over n - 1."""
    values = [value for unit in units for value in unit]
    n = len(values)
    across = sum((distance(x, y) for x, y in permutations(values, 2)), Fraction(0))
    if across == 0:
        return None
    within = sum(
        (distance(x, y) / (len(unit) - 1) for unit in units for x, y in permutations(unit, 2)), Fraction(0)
    )
    return 1 - (within / n) / (across / (n * (n - 1)))


Spans = tuple[tuple[int, int], ...]


def exact_unit_values(items: list[list[Spans]], lengths: list[int]) -> dict[str, Fraction | None]:
    """The measures of several spans: for each item the answers, token by token; None where undefined.

    Expected coincidences by their definition: all ordered pairs of tokens of all answers that are not of
    the same span, counted one after the other.
    """
    compared = [
        (answers, length) for answers, length in zip(items, lengths, strict=True) if len(answers) >= 2
    ]
    if not compared:
        return dict.fromkeys(["unitising_alpha", "observed_overlap", "identical_pairs"])
    observed, overlaps, tokens = Fraction(0), [], []
    for number, (answers, length) in enumerate(compared):
        for who, spans in enumerate(answers):
            for at in range(length):
                inside = [place for place, (start, end) in enumerate(spans) if start <= at < end]
                assert len(inside) <= 1
                # A gap's token is a segment of its own.
                tokens.append((bool(inside), (number, who, inside[0] if inside else f"gap {at}")))
        for one, other in permutations(
            [{at for span in spans for at in range(*span)} for spans in answers], 2
        ):
            observed += Fraction(len(one ^ other), len(answers) - 1)
            overlaps.append(Fraction(len(one & other), len(one | other)))
    n = len(tokens)
    pairs = [(one, other) for one, other in permutations(range(n), 2) if tokens[one][1] != tokens[other][1]]
    unlike = sum(tokens[one][0] != tokens[other][0] for one, other in pairs)
    expected = n * Fraction(unlike, len(pairs))
    return {
        "unitising_alpha": 1 - observed / expected if expected else None,
        "observed_overlap": _mean(overlaps, [Fraction(1)] * len(overlaps)),
        "identical_pairs": Fraction(sum(each == 1 for each in overlaps), len(overlaps)),
    }
