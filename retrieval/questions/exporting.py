"""A set of questions made topics with targets, which every run and report can use; and a file of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import transaction

from common.errors import BadField, BadInput
from common.wording import counted
from retrieval.corpora.loading import topics as loading
from retrieval.corpora.models import Grade, Qrels, Question, QuestionSet, Standing, TopicSet
from retrieval.loading.storing import check_fields

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SUBSETS = ("specific", "broad")
"""What people must have called a question for it to be exported."""


class Exported(NamedTuple):
    """What an export came to.

    topics, qrels: what was stored.
    questions: how many.
    left_out: how many that are written, by reason.
    """

    topics: TopicSet
    qrels: Qrels
    questions: int
    left_out: dict[str, int]

    def in_words(self) -> str:
        """Return it in a sentence."""
        out = "; ".join(f"{number:,} left out: {why}" for why, number in self.left_out.items() if number)
        said = f'{counted(self.questions, "topic")} as "{self.topics.slug}", targets as "{self.qrels.name}"'
        return f"{said}{'; ' + out if out else ''}."


def export(
    found: QuestionSet, slug: str, qrels: str = "", *, unjudged: bool = False, by: User | None = None
) -> Exported:
    """Store the kept questions as a set of topics, and their targets as judgments of grade 1.

    A topic has the facets `origin`, `written` and, where people judged it, `specificity`, `quality` and
    `subset` (origin and specificity). Questions that people called too general, or gave quality 0, stay out.

    Args:
        found: The questions.
        slug: Of the topics.
        qrels: The name of the judgments; "": the slug.
        unjudged: Whether questions that nobody judged are exported, too.
        by: Who exports.

    Raises:
        BadInput: a name is taken, or no question is left; nothing is stored.
    """
    kept = found.questions.filter(standing=Standing.WRITTEN).order_by("number")
    chosen, left_out = [], {"not judged": 0, "too general": 0, "quality 0": 0}
    for each in kept.prefetch_related("targets", "edits"):
        reason = _left_out(each, unjudged)
        if reason:
            left_out[reason] += 1
        else:
            chosen.append(each)
    if not chosen:
        why = "; ".join(f"{number:,} {reason}" for reason, number in left_out.items() if number)
        raise BadInput(f"No question of “{found}” can be exported{': ' + why if why else ''}.")
    name = qrels or slug
    if Qrels.objects.filter(corpus=found.corpus, name=name).exists():
        raise BadField("qrels", f'The corpus has judgments "{name}" already; choose another name.')
    with transaction.atomic():
        topics = loading.begin({"slug": slug, "title": found.title, "source": f"Questions {found.slug}"}, by)
        judged = Qrels(
            corpus=found.corpus, topics=topics, name=name, source="Targets of citations", created_by=by
        )
        check_fields(judged, ("name",))
        judged.save()
        for each in chosen:
            _store(each, topics, judged, by)
        found.topics = topics
        found.save(update_fields=["topics"])
    topics.refresh_from_db()
    return Exported(topics, judged, len(chosen), left_out)


def _left_out(question: Question, unjudged: bool) -> str:
    if not question.specificity:
        return "" if unjudged else "not judged"
    if question.specificity not in SUBSETS:
        return "too general"
    return "quality 0" if question.quality == 0 else ""


def _store(question: Question, topics: TopicSet, qrels: Qrels, by: User | None) -> None:
    wording = {"title": question.text, "facets": facets(question)}
    version = loading.add(topics, f"q{question.number}", wording, by)
    question.topic = version.topic
    question.save(update_fields=["topic"])
    Grade.objects.bulk_create(
        Grade(qrels=qrels, topic=version.topic, document=each, grade=1) for each in question.targets.all()
    )


def facets(question: Question) -> dict[str, str]:
    """Return the facets of the topic that a question becomes."""
    found = {"origin": question.set.origin, "written": written_by(question)}
    if question.specificity:
        found |= {
            "specificity": question.specificity,
            "subset": f"{question.set.origin}, {question.specificity}",
        }
    if question.quality is not None:
        found["quality"] = str(question.quality)
    return found


def written_by(question: Question) -> str:
    """Return who wrote the words of a question: a model, a model with people's edits, or people."""
    if not question.writer:
        return "people"
    edited = any(not each.writer and each.before != each.after for each in question.edits.all())
    return "model, edited by people" if edited else "model"


def rows(found: QuestionSet) -> Iterator[dict[str, Any]]:
    """Yield every question of a set, left out or not, with its checks and the log of its edits."""
    questions = found.questions.select_related("source").prefetch_related("targets", "edits")
    for each in questions.order_by("number").iterator(chunk_size=500):
        yield {
            "number": each.number,
            "question": each.text,
            "targets": [target.external_id for target in each.targets.all()],
            "source": each.source.external_id if each.source else None,
            "paragraph_id": each.paragraph_id,
            "paragraph": each.paragraph,
            "standing": each.standing,
            "refused": each.refused,
            "overlap": each.overlap,
            "overlap_all": each.overlap_all,
            "specificity": each.specificity,
            "quality": each.quality,
            "written": written_by(each),
            "writer": each.writer,
            "prompt_sha256": each.prompt_sha256,
            "edits": [
                {
                    "before": edit.before,
                    "after": edit.after,
                    "why": edit.why,
                    "writer": edit.writer,
                    "at": edit.at.isoformat(),
                }
                for edit in each.edits.all()
            ],
        }
