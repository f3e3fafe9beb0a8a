"""What the paper prints in its Tables 2, 3 and 4, to stand beside our numbers.

Manjavacas, E., Long, B. and Kestemont, M. (2019), On the Feasibility of Automated Detection of Allusive Text
Reuse, LaTeCH-CLfL 2019, pages 104–114.
"""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.allusion.queries.wordings import MANUAL
from evaluation.allusion.systems import LEMMAS, ORACLE, TOKENS

SOURCE = "Manjavacas, Long and Kestemont 2019, Tables 2, 3 and 4"
DIFFERENT = (
    "The lines “Paper” are printed by Manjavacas, Long and Kestemont (2019). Their data are others: 729 "
    "allusions in Bernard of Clairvaux’s sermons, marked by four readers, a collection of 34,835 verses, and "
    "word vectors of their own. They stand beside to be looked at, not to be tested against."
)
MRR, AT_10, AT_20 = "mrr", "success_at_10", "success_at_20"
Printed = Mapping[tuple[str, str, str], float]
"""By measure, words and column."""


def _rows(columns: tuple[str, ...], rows: Mapping[tuple[str, str], tuple[float | None, ...]]) -> Printed:
    return {
        (measure, words, column): value
        for (measure, words), values in rows.items()
        for column, value in zip(columns, values, strict=True)
        if value is not None
    }


TABLE_2 = _rows(
    ("bow", "tfidf", "tesserae", "bow-emb", "tfidf-emb", "wmd", "sc-wn", "sc-emb", ORACLE),
    {
        (MRR, TOKENS): (11.85, 16.42, 12.39, 8.54, 9.59, 13.68, None, 21.41, 17.01),
        (MRR, LEMMAS): (15.07, 19.51, 13.36, 9.82, 11.13, 14.07, 19.75, 21.95, 16.18),
        (AT_10, TOKENS): (20.16, 30.59, 19.20, 15.50, 18.11, 24.14, None, 37.31, 29.22),
        (AT_10, LEMMAS): (27.30, 34.43, 25.79, 16.87, 20.99, 25.38, 35.25, 39.64, 31.14),
        (AT_20, TOKENS): (25.38, 35.94, 22.22, 20.44, 24.14, 27.85, None, 44.31, 33.61),
        (AT_20, LEMMAS): (34.16, 43.35, 30.86, 22.63, 26.20, 31.28, 44.44, 47.60, 38.27),
    },
)
"""T+WMD is the oracle of footnote 6 there."""
TABLE_3 = {
    **{key: value for key, value in TABLE_2.items() if key[2] in {"tfidf", "sc-emb", "sc-wn"}},
    **_rows(
        ("sc-w2v", "sc-rnd"),
        {
            (MRR, TOKENS): (19.26, 18.56),
            (MRR, LEMMAS): (20.18, 20.22),
            (AT_10, TOKENS): (33.33, 31.28),
            (AT_10, LEMMAS): (36.35, 35.67),
            (AT_20, TOKENS): (39.09, 36.76),
            (AT_20, LEMMAS): (43.90, 43.48),
        },
    ),
}
"""Of TfIdf and SCwn the values are those of Table 2."""
TABLE_4 = _rows(
    (MANUAL, "window-3", "window-10"),
    {
        (MRR, TOKENS): (21.41, 13.41, 13.98),
        (MRR, LEMMAS): (21.95, 14.67, 14.69),
        (AT_10, TOKENS): (37.31, 25.79, 25.10),
        (AT_10, LEMMAS): (39.64, 25.93, 26.47),
        (AT_20, TOKENS): (44.31, 31.41, 31.41),
        (AT_20, LEMMAS): (47.60, 32.78, 34.57),
    },
)
PRINTED = {2: TABLE_2, 3: TABLE_3, 4: TABLE_4}
