"""Words of an excerpt's context that staff cover by hand, because they tell the answer.

What an excerpt says never changes: covered words make another row, which supersedes the first, and jobs and
studies that have the first keep it. To take the words back makes a third, with the context of the first.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from common.errors import BadInput
from retrieval.curating.decisions import check_reason
from retrieval.curating.excerpts import supersede
from retrieval.engine.leaks.places import place_of
from retrieval.engine.quotations.digests import digest
from retrieval.engine.quotations.masking import cover as printed
from retrieval.engine.text.passages import Passage
from retrieval.models import Act, Excerpt

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def covered(excerpt: Excerpt, words: str) -> list[str]:
    """Return the context, a text for each sentence, with these words printed as ``[…]``.

    Raises:
        BadField: the words stand nowhere in it, or at several places.
    """
    texts = [*excerpt.left, *excerpt.right]
    place = place_of(words, texts)
    text = texts[place.text]
    texts[place.text] = printed(text, (0, len(text)), [(place.start, place.end)])
    return texts


def cover(excerpt: Excerpt, words: str, *, reason: str, by: User | None, now: datetime) -> Excerpt:
    """Return another excerpt without these words, which supersedes the given one.

    Raises:
        BadInput: the words have no place in the context, the reason is missing, or the excerpt is not in use.
    """
    said = check_reason(reason)
    place = place_of(words, [*excerpt.left, *excerpt.right])
    gone = [*excerpt.left, *excerpt.right][place.text][place.start : place.end]
    why = f"Words of excerpt {excerpt.pk} covered."
    made = _with(excerpt, covered(excerpt, words), len(excerpt.left), why)
    return supersede(excerpt, made, Act.COVERED, reason=said, by=by, now=now, change={"covered": gone})


def uncover(excerpt: Excerpt, *, reason: str, by: User | None, now: datetime) -> Excerpt:
    """Return another excerpt with the words that were covered last, which supersedes the given one.

    Raises:
        BadInput: none were covered last, the reason is missing, or the excerpt is not in use.
    """
    said = check_reason(reason)
    gone = was_covered(excerpt)
    if not gone:
        raise BadInput(f"Excerpt {excerpt.pk} was not made by covering words; nothing was changed.")
    old = Excerpt.objects.get(superseded_by=excerpt)
    made = _with(excerpt, [*old.left, *old.right], len(old.left), f"The context of excerpt {old.pk} again.")
    return supersede(excerpt, made, Act.UNCOVERED, reason=said, by=by, now=now, change={"covered": gone})


def was_covered(excerpt: Excerpt) -> str:
    """Return the words that were covered when this excerpt was made; empty where it was made otherwise."""
    first = excerpt.curations.order_by("pk").first()
    # The first decision about a found excerpt may be that its words were covered, too: that one made another.
    made = Excerpt.objects.filter(superseded_by=excerpt).exists()
    return str(first.change["covered"]) if made and first and first.act == Act.COVERED else ""


def _with(excerpt: Excerpt, texts: list[str], left: int, why: str) -> Excerpt:
    place = Passage(excerpt.first or 0, excerpt.size or 0)
    return Excerpt(
        source_id=excerpt.source_id,
        book_id=excerpt.book_id,
        left=texts[:left],
        right=texts[left:],
        printed=excerpt.printed,
        start=excerpt.start,
        end=excerpt.end,
        first=excerpt.first,
        size=excerpt.size,
        score=excerpt.score,
        why=why,
        external_id=excerpt.external_id,
        # The row before tells apart what was covered, uncovered and covered again.
        digest=digest(excerpt.digest, excerpt.book.slug, texts, place, "covered"),
    )
