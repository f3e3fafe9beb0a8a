"""German names and definitions of measures, by slug. Coefficients keep the names of their authors."""

from __future__ import annotations

_CHANCE = "Übereinstimmung über den Zufall hinaus"
_PAIRS = "gemittelt über die Paare von Lesenden, nach ihren gemeinsamen Items gewichtet"
MEASURES = {
    "individual_accuracy": (
        "Genauigkeit der einzelnen Urteile",
        "Anteil der einzelnen Urteile, die die richtige Möglichkeit wählten",
    ),
    "majority_accuracy": (
        "Genauigkeit der Mehrheit",
        "Anteil der Items, bei denen mehr als die Hälfte der Urteile die richtige Möglichkeit wählte; "
        "Gleichstand oder keine Mehrheit zählt als falsch",
    ),
    "plurality_accuracy": (
        "Genauigkeit der relativen Mehrheit",
        "Anteil der Items, bei denen die richtige Möglichkeit mehr Urteile hat als jede andere",
    ),
    "all_agree": (
        "alle einig",
        "Anteil der Items mit mindestens zwei Urteilen, bei denen alle Urteile gleich sind",
    ),
    "none_agree": (
        "keine zwei einig",
        "Anteil der Items mit mindestens zwei Urteilen, bei denen keine zwei Urteile gleich sind",
    ),
    "fleiss_kappa": (
        "Fleiss’ κ",
        f"{_CHANCE}, der die Nummern der Möglichkeiten aus den Randsummen aller Lesenden zieht",
    ),
    "generalised_fleiss_kappa": (
        "verallgemeinertes Fleiss’ κ",
        "Fleiss’ κ für ungleich viele Urteile je Item, mit über die Items gemittelten Randsummen",
    ),
    "randolph_kappa": (
        "Randolphs κ",
        f"{_CHANCE}, der zwischen den angebotenen Möglichkeiten rät",
    ),
    "krippendorff_alpha": (
        "Krippendorffs α",
        "eins minus beobachtete durch erwartete Nichtübereinstimmung, wobei der Zufall zwei verschiedene "
        "Urteile "
        "aus denen aller Items mit mindestens zwei Urteilen zieht",
    ),
    "gwet_ac1": (
        "Gwets AC1",
        f"{_CHANCE}, der klein ist, wenn eine Möglichkeit die meisten Urteile erhält",
    ),
    "observed_agreement": (
        "beobachtete Übereinstimmung",
        "Anteil gleicher Paare von Urteilen zum selben Item, gemittelt über die Items, ohne Korrektur für "
        "Zufall",
    ),
    "lcs_overlap_kappa": (
        "LCS-Überlappungs-κ",
        "mittlere Überlappung zweier Spannen eines Items gegen die summierte Überlappung derselben Paare; "
        "keine "
        "Übereinstimmung über den Zufall hinaus",
    ),
    "observed_overlap": (
        "beobachtete Überlappung O_o",
        "mittlere Überlappung zweier Spannen eines Items: Token in beiden durch Token in mindestens einer",
    ),
    "identical_pairs": (
        "gleiche Paare",
        "Anteil der Paare von Spannen eines Items, die bei denselben Token beginnen und enden",
    ),
    "span_alpha": (
        "α der Spannen",
        "Krippendorffs α mit dem Abstand 1 − O: wie viel mehr zwei Spannen eines Items übereinstimmen als "
        "zwei "
        "Spannen beliebiger Items, an ihren Ankern übereinandergelegt",
    ),
    "placement_kappa": (
        "κ der Lage",
        "Überlappung über die zweier gleich langer Spannen hinaus, die irgendwo in der Stelle liegen",
    ),
    "token_alpha": (
        "α der Token",
        "Krippendorffs nominales α über jedes Token der Stelle, innerhalb oder außerhalb der Spanne",
    ),
    "unitising_alpha": (
        "α der Abgrenzung",
        "Krippendorffs α für Lesende, die beliebig viele Spannen einer Stelle markieren",
    ),
    "identical_to_gold": (
        "gleich der bekannten Spanne",
        "Anteil der einzelnen Spannen, die wie die bekannte beginnen und enden; Antworten ohne Spanne "
        "gehen nicht "
        "ein",
    ),
    "overlap_with_gold": (
        "Überlappung mit der bekannten Spanne",
        "mittlere Überlappung der einzelnen Spannen mit der bekannten: Token in beiden durch Token in "
        "mindestens "
        "einer",
    ),
    "presence_observed_agreement": (
        "Spanne oder keine: beobachtete Übereinstimmung",
        "Anteil gleicher Paare von Antworten dazu, ob es eine Spanne gibt, gemittelt über die Items",
    ),
    "presence_alpha": (
        "Spanne oder keine: α",
        "Krippendorffs nominales α über zwei Werte, Spanne oder keine",
    ),
    "presence_ac1": ("Spanne oder keine: AC1", "Gwets AC1 über zwei Werte, Spanne oder keine"),
    "absolute_difference": (
        "mittlere absolute Abweichung von der bekannten Stufe",
        "Mittel der Beträge von Stufe minus bekannter Stufe",
    ),
    "difference_from_run": (
        "Ähnlichkeit mit der richtigen Antwort, Lesende minus Lauf",
        "um wie viel ähnlicher die Antworten der Lesenden der richtigen sind als die eines Laufs, auf "
        "denselben Items",
    ),
    "difference": (
        "mittlere Abweichung von der bekannten Stufe",
        "Mittel von Stufe minus bekannter Stufe",
    ),
    "exact_with_gold": (
        "genaue Übereinstimmung mit der bekannten Stufe",
        "Anteil der einzelnen Urteile mit der bekannten Stufe",
    ),
    "within_one_of_gold": (
        "Übereinstimmung mit der bekannten Stufe bis auf ±1",
        "Anteil der einzelnen Urteile, die höchstens eine Stufe von der bekannten abweichen",
    ),
    "ordinal_alpha": (
        "Krippendorffs α (ordinal)",
        "eins minus beobachtete durch erwartete Nichtübereinstimmung, wobei der Abstand zweier Stufen "
        "davon abhängt, "
        "wie viele Urteile zwischen ihnen liegen",
    ),
    "interval_alpha": (
        "Krippendorffs α (Intervall)",
        "eins minus beobachtete durch erwartete Nichtübereinstimmung, mit dem Quadrat der Differenz zweier "
        "Stufen",
    ),
    "gwet_ac2": (
        "Gwets AC2",
        f"{_CHANCE} mit ordinalen Gewichten, bei denen nahe Stufen zum Teil als gleich gelten",
    ),
    "quadratic_kappa": ("quadratisch gewichtetes κ", f"Cohens κ mit quadratischen Gewichten, {_PAIRS}"),
    "linear_kappa": ("linear gewichtetes κ", f"Cohens κ mit linearen Gewichten, {_PAIRS}"),
    "pooled_quadratic_kappa": (
        "quadratisch gewichtetes κ, zusammengefasst",
        "Cohens κ mit quadratischen Gewichten, beobachtete und erwartete Nichtübereinstimmung über die Paare "
        "summiert",
    ),
    "pooled_linear_kappa": (
        "linear gewichtetes κ, zusammengefasst",
        "Cohens κ mit linearen Gewichten, beobachtete und erwartete Nichtübereinstimmung über die Paare "
        "summiert",
    ),
    "exact_agreement": (
        "genaue Übereinstimmung",
        "Anteil der Paare von Urteilen zum selben Item mit gleicher Stufe, gemittelt über die Items",
    ),
    "within_one_agreement": (
        "Übereinstimmung bis auf ±1",
        "Anteil der Paare von Urteilen zum selben Item, die höchstens eine Stufe auseinanderliegen, "
        "gemittelt über "
        "die Items",
    ),
    "relevant_overlap": (
        "Überlappung der relevanten Mengen",
        "von den Items, die eine von zwei Personen relevant nennt, der Anteil, bei dem es beide tun",
    ),
    "rationale_overlap": (
        "Überlappung der Begründungen",
        "mittlere Überlappung der markierten Wörter zweier Personen, die dieselbe Stufe gaben und beide "
        "markierten",
    ),
    "rationale_alpha": (
        "α der Begründungen",
        "Krippendorffs α der Abgrenzung über die Wörter, die als ausschlaggebend markiert wurden",
    ),
    "cohen_kappa": ("Cohens κ", f"{_CHANCE}, der jeder Person ihre eigenen Randsummen lässt, {_PAIRS}"),
    "rate_filled": ("Anteil beantworteter Fragen", "beantwortete Fragen durch gestellte Fragen"),
    "same_text": (
        "gleicher Text",
        "Anteil gleicher Paare freier Antworten zum selben Item, gemittelt über die Items",
    ),
}
