"""Rubrics that are shipped. Their questions follow two papers; all words of them are ours.

Thai et al. 2022 (RELiC), section 4: how critics use quotations, 200 examples. Ajith et al. 2024 (LitSearch):
how many papers a question fits, its quality, and the question as it was edited.
"""

from __future__ import annotations

from typing import Any

from annotation.tasktypes.items import Template


def option(value: str, label: str, definition: str = "") -> dict[str, str]:
    """Return an option of a question."""
    return {"value": value, "label": label} | ({"definition": definition} if definition else {})


QUOTATION_TYPE = [
    {
        "key": "type",
        "prompt": "What does the critic do with the quotation?",
        "kind": "nominal",
        "required": True,
        "options": [
            option(
                "claim", "Supports a claim", "The critic says something of the work, and quotes to show it."
            ),
            option(
                "paraphrase", "Retells", "The words around it say what the quotation says, in other words."
            ),
            option(
                "other", "Something else", "Neither: it names a scene, begins a section, or stands alone."
            ),
        ],
    }
]

SPECIFICITY = [
    {
        "key": "specificity",
        "prompt": "How many papers would fit this question?",
        "kind": "nominal",
        "required": True,
        "options": [
            option("specific", "Specific", "At most 5 papers."),
            option("broad", "Broad", "More than 5, at most 20 papers."),
            option(
                "too_general",
                "Too general",
                "More than 20 papers: its quality counts as 0, and the question is left out.",
            ),
        ],
    },
    {
        "key": "quality",
        "prompt": "How good is the question?",
        "kind": "ordinal",
        "required": True,
        "when": [{"question": "specificity", "in": ["specific", "broad"]}],
        "options": [
            option("0", "0: not usable", "It makes no sense, or does not say what is looked for."),
            option("1", "1: usable", "One sees what is looked for; the wording needs a hand."),
            option("2", "2: good", "Clear, and worded as a researcher would ask."),
        ],
    },
    {
        "key": "edited",
        "prompt": "The question as it should be asked",
        "kind": "text",
        "help": "Change as little as you can. Leave it empty where nothing needs a change.",
        "when": [{"question": "quality", "in": ["1", "2"]}],
    },
]

EXAMPLE: list[dict[str, Any]] = [
    {
        "key": "quality",
        "prompt": "How well does the passage answer?",
        "kind": "ordinal",
        "required": True,
        "options": [
            option("0", "Not at all"),
            option("1", "In part", "Something that was asked stays open."),
            option("2", "In full"),
        ],
    },
    {
        "key": "missing",
        "prompt": "What is missing?",
        "kind": "text",
        "when": [{"question": "quality", "in": ["1"]}],
    },
]

TEMPLATES = {
    "quotation-types": Template(
        "Quotation types (after RELiC, Thai et al. 2022; wording ours)",
        {"rubric": QUOTATION_TYPE},
    ),
    "specificity": Template(
        "Specificity and quality of a question (after LitSearch, Ajith et al. 2024; wording ours)",
        {"rubric": SPECIFICITY},
    ),
}
