"""Measures of grades once more, slowly and exactly: fractions over single pairs of judgments."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, permutations
from math import comb


def by_item(judgments):
    """(item, annotator, grade) rows → {item: {annotator: grade}}."""
    found = defaultdict(dict)
    for item, annotator, grade in judgments:
        found[item][annotator] = grade
    return found


def exact_grades(judgments, gold, q):
    """(item, annotator, grade) rows → every measure; None where undefined."""
    items = by_item(judgments)
    against = [grade - gold[item] for item, _, grade in judgments if gold[item] >= 0]
    several = [list(given.values()) for given in items.values() if len(given) >= 2]
    return {
        "absolute_difference": mean([abs(d) for d in against]),
        "difference": mean(against),
        "exact_with_gold": mean([d == 0 for d in against]),
        "within_one_of_gold": mean([abs(d) <= 1 for d in against]),
        "ordinal_alpha": alpha(several, ordinal_distance(several, q)),
        "interval_alpha": alpha(several, lambda k, m: (k - m) ** 2),
        "quadratic_kappa": mean_kappa(judgments, lambda k, m: (k - m) ** 2),
        "linear_kappa": mean_kappa(judgments, lambda k, m: abs(k - m)),
        "pooled_quadratic_kappa": pooled_kappa(judgments, lambda k, m: (k - m) ** 2),
        "pooled_linear_kappa": pooled_kappa(judgments, lambda k, m: abs(k - m)),
        "gwet_ac2": ac2([list(given.values()) for given in items.values()], q, ordinal_weight(q)),
        "cohen_kappa": mean_kappa(judgments, lambda k, m: int(k != m)),
        "exact_agreement": mean([mean([k == m for k, m in combinations(given, 2)]) for given in several]),
        "within_one_agreement": mean(
            [mean([abs(k - m) <= 1 for k, m in combinations(given, 2)]) for given in several]
        ),
    }


def mean(values):
    return sum(map(Fraction, values), Fraction(0)) / len(values) if values else None


def ordinal_distance(several, q):
    """Krippendorff (2011), section E: judgments between two grades, half of those on them, squared."""
    n = [sum(given.count(grade) for given in several) for grade in range(q)]

    def distance(k, m):
        low, high = sorted((k, m))
        return (sum(n[low : high + 1]) - Fraction(n[low] + n[high], 2)) ** 2 if low != high else 0

    return distance


def alpha(several, distance):
    """D_o over ordered pairs within items, D_e over ordered pairs of all judgments."""
    everything = [grade for given in several for grade in given]
    n = len(everything)
    observed = sum(
        (Fraction(distance(k, m), len(given) - 1) for given in several for k, m in permutations(given, 2)),
        Fraction(0),
    )
    expected = sum((Fraction(distance(k, m)) for k, m in permutations(everything, 2)), Fraction(0))
    return None if not expected else 1 - (n - 1) * observed / expected


def common_answers(judgments):
    """{(first, second): [(grade, grade), …]} of each two annotators on their common items."""
    found = defaultdict(list)
    for given in by_item(judgments).values():
        for first, second in combinations(sorted(given), 2):
            found[first, second].append((given[first], given[second]))
    return found


def kappa(answers, distance):
    """κ of one pair: every answer of the one beside every answer of the other is chance."""
    observed = mean([distance(k, m) for k, m in answers])
    expected = mean([distance(k, m) for k, _ in answers for _, m in answers])
    return None if not expected else 1 - observed / expected


def mean_kappa(judgments, distance):
    values = [(kappa(answers, distance), len(answers)) for answers in common_answers(judgments).values()]
    defined = [(value, n) for value, n in values if value is not None]
    return sum(value * n for value, n in defined) / sum(n for _, n in defined) if defined else None


def pooled_kappa(judgments, distance):
    """Disagreements of all pairs of annotators, over what each pair's own answers would give by chance."""
    observed = expected = Fraction(0)
    for answers in common_answers(judgments).values():
        observed += sum(distance(k, m) for k, m in answers)
        expected += Fraction(sum(distance(k, m) for k, _ in answers for _, m in answers), len(answers))
    return None if not expected else 1 - observed / expected


def ordinal_weight(q):
    """1 - C(|k - m| + 1, 2) / C(q, 2)."""
    return lambda k, m: 1 - Fraction(comb(abs(k - m) + 1, 2), comb(q, 2))


def ac2(items, q, weight):
    """Mean weight of two judgments on an item against what Gwet takes for chance."""
    several = [given for given in items if len(given) >= 2]
    if not several:
        return None
    observed = mean([mean([weight(k, m) for k, m in permutations(given, 2)]) for given in several])
    shares = [mean([Fraction(given.count(k), len(given)) for given in items]) for k in range(q)]
    total = sum(weight(k, m) for k in range(q) for m in range(q))
    expected = Fraction(total, q * (q - 1)) * sum(share * (1 - share) for share in shares)
    return (observed - expected) / (1 - expected)
