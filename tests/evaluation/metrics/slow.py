"""The nominal measures once more, slowly and exactly: fractions over single pairs of judgments."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations


def exact_values(
    judgments: list[tuple[int, int]], gold: list[int], options: int
) -> dict[str, Fraction | None]:
    """(item, choice) pairs → every measure; None where undefined."""
    votes: dict[int, list[int]] = defaultdict(list)
    for item, choice in judgments:
        votes[item].append(choice)
    several = [chosen for chosen in votes.values() if len(chosen) >= 2]
    known = [(chosen, gold[item]) for item, chosen in votes.items() if gold[item] >= 0]
    observed = _mean([_agreeing_pairs(chosen) for chosen in several])
    margins = [
        _mean([Fraction(chosen.count(option), len(chosen)) for chosen in votes.values()])
        for option in range(options)
    ]
    balanced = len({len(chosen) for chosen in votes.values()}) == 1
    generalised = _corrected(observed, margins and _sum(m * m for m in margins if m is not None))
    return {
        "individual_accuracy": _mean([Fraction(vote == right) for chosen, right in known for vote in chosen]),
        "majority_accuracy": _mean(
            [Fraction(2 * chosen.count(right) > len(chosen)) for chosen, right in known]
        ),
        "plurality_accuracy": _mean([_only_mode(chosen, right) for chosen, right in known]),
        "all_agree": _mean([Fraction(len(set(chosen)) == 1) for chosen in several]),
        "none_agree": _mean([Fraction(len(set(chosen)) == len(chosen)) for chosen in several]),
        "observed_agreement": observed,
        "randolph_kappa": _corrected(observed, Fraction(1, options)),
        "fleiss_kappa": generalised if balanced else None,
        "generalised_fleiss_kappa": generalised,
        "gwet_ac1": _corrected(observed, _sum(m * (1 - m) for m in margins if m is not None) / (options - 1)),
        "krippendorff_alpha": _alpha(several),
    }


def _sum(values) -> Fraction:
    return sum(values, Fraction(0))


def _mean(values: list[Fraction]) -> Fraction | None:
    return _sum(values) / len(values) if values else None


def _agreeing_pairs(chosen: list[int]) -> Fraction:
    return _mean([Fraction(one == other) for one, other in combinations(chosen, 2)])


def _only_mode(chosen: list[int], right: int) -> Fraction:
    ranked = Counter(chosen).most_common(2)
    first = ranked[0][0] == right and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
    return Fraction(first)


def _corrected(observed: Fraction | None, expected: Fraction) -> Fraction | None:
    if observed is None or expected == 1:
        return None
    return (observed - expected) / (1 - expected)


def _alpha(several: list[list[int]]) -> Fraction | None:
    """Krippendorff by its coincidence matrix."""
    coincidences: Counter[tuple[int, int]] = Counter()
    for chosen in several:
        for here, one in enumerate(chosen):
            for there, other in enumerate(chosen):
                if here != there:
                    coincidences[one, other] += Fraction(1, len(chosen) - 1)
    totals: Counter[int] = Counter()
    for (one, _), weight in coincidences.items():
        totals[one] += weight
    n = sum(totals.values())
    unequal = _sum(totals[a] * totals[b] for a in totals for b in totals if a != b)
    if unequal == 0:
        return None
    disagreeing = _sum(weight for (one, other), weight in coincidences.items() if one != other)
    return 1 - (n - 1) * disagreeing / unequal
