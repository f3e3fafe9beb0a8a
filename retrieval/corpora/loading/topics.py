"""Topics loaded from a file, and changed one by one afterwards: every change is a new version."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from common.errors import BadField, BadInput
from retrieval.corpora.loading import wordings
from retrieval.corpora.models import Topic, TopicSet, TopicVersion
from retrieval.engine.interchange import marked
from retrieval.engine.interchange import topics as reading
from retrieval.engine.interchange.lines import Wrong, lines, opened, printable, sha256, wrong_in
from retrieval.engine.interchange.objects import checked_id
from retrieval.engine.interchange.topics import LONGEST_FACET, ReadTopic
from retrieval.loading.storing import check_fields, check_language

if TYPE_CHECKING:
    from django.contrib.auth.models import User

FACTS = ("slug", "title", "source")
"""Fields of a set of topics that a person gives."""
WORDING = ("title", "description", "narrative", "author", "language", "facets", "wordings")
"""What a version says of a topic."""
MOST = 100_000
"""Topics of a set."""
MOST_FACETS = 20
"""Of a topic."""
_ENDINGS = {
    ".jsonl": "jsonl",
    ".tsv": "tsv",
    ".xml": "xml",
    **dict.fromkeys((".trec", ".topics", ".txt"), "trec"),
}
_READERS = {**reading.READERS, "xml": marked.topics}
LONGEST = {"title": 5_000, "description": 20_000, "narrative": 20_000, "author": 200, "language": 35}


class LoadedTopics(NamedTuple):
    """What a loading came to.

    topics: the set.
    created: whether it is new.
    """

    topics: TopicSet
    created: bool


def load(path: Path, facts: dict[str, str], language: str = "en", by: User | None = None) -> LoadedTopics:
    """Load a set of topics from a file, all of it or nothing.

    Args:
        path: The file, or a BEIR folder with `queries.jsonl` in it.
        facts: Values of `FACTS`.
        language: Of the topics of which the file names none.
        by: Who loads it.

    Raises:
        BadInput: a sentence that names the file and the line, or the fact.
    """
    file = topic_file(path)
    found = TopicSet(**facts, sha256=sha256(file), created_by=by)
    return keep(found, lambda: _read(file), language, wrong_in(printable(file)))


def keep(
    found: TopicSet,
    read: Callable[[], list[ReadTopic]],
    language: str,
    wrong: Wrong,
    also: Callable[[TopicSet], object] = bool,
) -> LoadedTopics:
    """Store a set of topics that was read, all of it or nothing.

    Args:
        found: The set, not stored; its sha256 says what it was made from.
        read: Called for the topics, unless the same set is here.
        language: Of the topics that name none.
        wrong: Makes the error for a topic, from its line.
        also: Called in the transaction that stores the topics; may raise, and then nothing is stored.

    Raises:
        BadInput: a fact or a topic is wrong, or the slug is taken.
    """
    check_fields(found, FACTS)
    check_language(language)
    known = TopicSet.objects.filter(slug=found.slug).first()
    if known is not None:
        if known.sha256 == found.sha256:
            return LoadedTopics(known, False)
        raise BadField("slug", f'Other topics are here as "{known.slug}" ({known}); choose another slug.')
    topics = read()
    found.facets = sorted({name for each in topics for name in each.facets})
    found.wordings = wordings.named(each.wordings for each in topics)
    try:
        with transaction.atomic():
            _store(found, topics, language, wrong)
            also(found)
    except IntegrityError:
        raise BadField(
            "slug", f'Topics were stored as "{found.slug}" meanwhile; look at them first.'
        ) from None
    return LoadedTopics(found, True)


def topic_file(path: Path) -> Path:
    """Return the file of topics: this one, or the one in this BEIR folder. Raises `BadInput`."""
    if not path.is_dir():
        return path
    for name in ("queries.jsonl", "queries.jsonl.gz"):
        if (path / name).is_file():
            return path / name
    raise BadInput(f"{printable(path)} holds no queries.jsonl: a BEIR folder was expected.")


def begin(facts: dict[str, str], by: User | None) -> TopicSet:
    """Store a set without topics, which are then given one by one.

    Raises:
        BadInput: a fact is wrong, or the slug is taken.
    """
    found = TopicSet(**facts, created_by=by)
    check_fields(found, FACTS)
    try:
        with transaction.atomic():
            found.save(force_insert=True)
    except IntegrityError:
        raise BadField("slug", f'Other topics are here as "{found.slug}"; choose another slug.') from None
    return found


def add(topics: TopicSet, external_id: str, wording: dict[str, Any], by: User | None) -> TopicVersion:
    """Store another topic of a set, behind its last, with what it says as its first version.

    Args:
        topics: The set. It has the facets of the new topic from then on.
        external_id: Its name in runs and qrels.
        wording: Values of some of `WORDING`; the title is needed.
        by: Who adds it.

    Raises:
        BadInput: the id is wrong or taken, the title is empty, or a text is too long; nothing is stored.
    """

    def wrong(_: int, sentence: str) -> BadInput:
        return BadField("external_id", f"{sentence[0].upper()}{sentence[1:]}")

    checked_id(external_id, 0, wrong)
    with transaction.atomic():
        kept = TopicSet.objects.select_for_update().get(pk=topics.pk)
        if kept.members.filter(external_id=external_id).exists():
            raise BadField(
                "external_id", f"The topic {external_id!r} is here already; change it on its page."
            )
        number = kept.members.count()
        if number >= MOST:
            raise BadInput(f"The set has {MOST:,} topics; it holds no more.")
        topic = Topic.objects.create(topics=kept, number=number, external_id=external_id)
        version = TopicVersion(topic=topic, by=by, **wording)
        _check(version)
        version.save()
        _name_parts(kept, version)
    return version


def _name_parts(topics: TopicSet, version: TopicVersion) -> None:
    """Let the set name the facets and wordings that one of its topics has."""
    facets = sorted({*topics.facets, *version.facets})
    others = sorted({*topics.wordings, *version.wordings})
    if (facets, others) != (topics.facets, topics.wordings):
        topics.facets, topics.wordings = facets, others
        topics.save(update_fields=["facets", "wordings"])


def reword(topic: Topic, wording: dict[str, object], why: str, by: User | None) -> TopicVersion:
    """Add a version of a topic, and keep why the one before was changed.

    Args:
        topic: The topic.
        wording: New values of some of `WORDING`; the others stay.
        why: In a sentence.
        by: Who changed it.

    Raises:
        BadInput: nothing is changed, no reason is given, the title is empty, or a text is too long.
    """
    if not why.strip():
        raise BadField("why", "Say why the topic is changed: readers of its judgments will want to know.")
    with transaction.atomic():
        newest = topic.versions.select_for_update().order_by("-version").first()
        assert newest is not None  # noqa: S101 - a topic is stored with its first version
        values = {name: wording.get(name, getattr(newest, name)) for name in WORDING}
        if all(values[name] == getattr(newest, name) for name in WORDING):
            raise BadInput(f"Topic {topic} already says this; nothing was changed.")
        version = TopicVersion(
            topic=topic, version=newest.version + 1, why=why.strip()[:300], by=by, **values
        )
        _check(version)
        version.save()
        _name_parts(topic.topics, version)
    return version


def current(topics: TopicSet) -> QuerySet[TopicVersion]:
    """Return the current wording of every topic of a set, in the order of its file."""
    later = TopicVersion.objects.filter(topic=OuterRef("topic"), version__gt=OuterRef("version"))
    rows = TopicVersion.objects.filter(~Exists(later), topic__topics=topics)
    return rows.select_related("topic").order_by("topic__number")


def _read(file: Path) -> list[ReadTopic]:
    name = printable(file)
    form = _ENDINGS.get(Path(name.removesuffix(".gz")).suffix.lower())
    if form is None:
        raise reading.unknown_format(name)
    wrong = wrong_in(name)
    found: list[ReadTopic] = []
    seen: dict[str, int] = {}
    with opened(file) as stream:
        for each in _READERS[form](lines(stream, name), wrong):
            if each.external_id in seen:
                first = seen[each.external_id]
                raise wrong(
                    each.line, f"the topic {each.external_id!r} is given twice; first on line {first:,}."
                )
            seen[each.external_id] = each.line
            found.append(each)
            if len(found) > MOST:
                raise wrong(each.line, f"more than {MOST:,} topics; a set holds no more.")
    if not found:
        raise BadInput(f"{name} holds no topic; one at least was expected.")
    return found


def _store(topics: TopicSet, read: Iterable[ReadTopic], language: str, wrong: Wrong) -> None:
    topics.save(force_insert=True)
    rows = [
        (Topic(topics=topics, number=n, external_id=each.external_id), each) for n, each in enumerate(read)
    ]
    Topic.objects.bulk_create([topic for topic, _ in rows], batch_size=1_000)
    versions = []
    for topic, each in rows:
        version = TopicVersion(
            topic=topic,
            by=topics.created_by,
            title=each.title,
            description=each.description,
            narrative=each.narrative,
            author=each.author,
            language=each.language or language,
            facets=each.facets,
            wordings=dict(each.wordings),
        )
        try:
            _check(version)
        except BadInput as error:
            sentence = str(error)
            raise wrong(each.line, f"{sentence[0].lower()}{sentence[1:]}") from None
        versions.append(version)
    TopicVersion.objects.bulk_create(versions, batch_size=1_000)


def _check(version: TopicVersion) -> None:
    for name, most in LONGEST.items():
        text = getattr(version, name)
        if len(text) > most:
            raise BadField(name, f"The {name} has {len(text):,} characters; {most:,} are the most.")
    if not version.title.strip():
        raise BadField("title", "The title is empty.")
    if len(version.facets) > MOST_FACETS:
        raise BadField("facets", f"The topic has {len(version.facets):,} facets; {MOST_FACETS} are the most.")
    for name, value in version.facets.items():
        if not name.strip() or max(len(name), len(value)) > LONGEST_FACET:
            raise BadField(
                "facets",
                f"The facet {name[:60]!r} needs a name, which like its value has at most {LONGEST_FACET} "
                "characters.",
            )
    wordings.check(version.wordings)
    check_language(version.language)
