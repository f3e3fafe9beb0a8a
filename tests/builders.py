"""Small builders: each makes one real thing through the real model, with sensible words in it."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Permission, User
from django.db import connection
from django.utils import timezone

from annotation.assignment.claiming import order_at
from annotation.assignment.holding import record_expiry
from annotation.models import (
    EMPTY,
    Assignment,
    AssignmentStatus,
    Enrolment,
    Erasure,
    Guideline,
    Item,
    Judgment,
    MachineReader,
    OptionOrder,
    Outcome,
    PromptVersion,
    Role,
    State,
    Study,
)
from evaluation.runs.jobs import computing
from evaluation.runs.measuring import Asked
from machines.models import Budget
from retrieval.corpora.models import (
    Corpus,
    Document,
    EndpointJob,
    Grade,
    Pool,
    PoolEntry,
    Qrels,
    Question,
    QuestionEdit,
    QuestionSet,
    Ranked,
    Run,
    SearchJob,
    Topic,
    TopicSet,
    TopicVersion,
    What,
)
from retrieval.corpora.models import State as CorpusState
from retrieval.corpora.reranking.plans import RerankPlan
from retrieval.corpora.searching import plans
from retrieval.engine.dense.settings import Settings
from retrieval.models import (
    Book,
    Candidate,
    CandidateJob,
    Checkpoint,
    Excerpt,
    Source,
    Status,
    TrainingBook,
    TrainingJob,
    WordTable,
)
from retrieval.training.plan import Plan

SENTENCES = [
    f"On the {number}th morning the boats of the {word} fleet went out before the lamps were lit."
    for number, word in enumerate(
        "grey slow blind last first small tarred northern idle patient borrowed silent "
        "painted crooked early widowed honest leaking proud mended late hired sleeping salt".split(),
        1,
    )
]


def person(name: str, **fields: Any) -> User:
    return User.objects.create_user(username=name.lower(), first_name=name, **fields)


def researcher(name: str) -> User:
    user = person(name)
    user.user_permissions.add(
        *Permission.objects.filter(codename__in=["add_study", "view_book", "view_candidatejob"])
    )
    return user


def book(slug: str = "boats", sentences: list[str] = SENTENCES, **fields: Any) -> Book:
    text, bounds = "", []
    for sentence in sentences:
        bounds.append([len(text), len(text) + len(sentence)])
        text += sentence + " "
    defaults = {"title": "The Boats", "author": "A. Author", "year": 1891, "language": "en"}
    return Book.objects.create(
        slug=slug,
        text=text,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        sentences=bounds,
        n_sentences=len(bounds),
        **{**defaults, **fields},
    )


def novel(slug: str) -> Book:
    """A book of its own title and its own words."""
    return book(slug, [f"{line[:-1]}, of the {slug}." for line in SENTENCES], title=slug.capitalize())


def source(slug: str = "critic", citation: str = "Critic 1911", text: str = "An essay.") -> Source:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Source.objects.create(slug=slug, citation=citation, text=text, sha256=digest)


def excerpt(of: Book, by: Source, first: int = 3, size: int = 1) -> Excerpt:
    return Excerpt.objects.create(
        source=by,
        book=of,
        left=[f"The critic prepares us for sentence {first}.", "He speaks of boats and of lamps."],
        right=["The morning, he adds, is never the same.", "So the fleet stands for the town."],
        printed=of.passage(first, size),
        first=first,
        size=size,
        score=100.0,
        why="the words are the book's",
        digest=hashlib.sha256(f"{by.slug} {of.slug} {first} {size}".encode()).hexdigest(),
    )


def finished_job(of: Book, excerpts: list[Excerpt], negatives: int = 2) -> CandidateJob:
    """A done job whose candidates are the gold at rank 3 and the next passages as negatives."""
    job = CandidateJob.objects.create(
        book=of,
        ranker="bm25",
        parameters={"negatives": negatives, "left": 4, "right": 4, "size": None},
        code_version="test",
        status=Status.DONE,
        total=len(excerpts),
        done=len(excerpts),
    )
    job.excerpts.set(excerpts)
    for each in excerpts:
        wrong = [n for n in range(of.n_sentences) if abs(n - each.first) > each.size][:negatives]
        Candidate.objects.bulk_create(
            Candidate(
                job=job,
                excerpt=each,
                rank=rank,
                first=first,
                size=each.size,
                scores={"bm25": 10.0 - rank},
                is_gold=first == each.first,
            )
            for rank, first in enumerate([*wrong, each.first], 1)
        )
    return job


def word_table(slug: str = "english") -> WordTable:
    """A lemma table as pages list it; its files are not there."""
    return WordTable.objects.create(
        kind="lemmas", slug=slug, sha256="a" * 64, file_name="lemmas.tsv", n_words=3, source="a lexicon",
        remarks=["1 line left out: their word has another lemma above; the first is line 5."],
    )  # fmt: skip


def finished_training(of: Book, name: str = "trained", *, toy: bool = True) -> TrainingJob:
    """A done training that learned from a book in three epochs, and its checkpoint without a folder."""
    losses = [(3.1, 3.2), (2.4, 2.9), (1.9, 3.0)]
    curve = [
        {"number": number, "loss": loss, "validation": held} for number, (loss, held) in enumerate(losses, 1)
    ]
    card = {
        "toy": toy,
        "curve": curve,
        "best_epoch": 2,
        "validation_loss": 2.9,
        "stopped_early": True,
        "device": "cpu",
        "trained_on": {"books": [{"slug": of.slug, "sha256": of.sha256, "pairs": 12}], "sha256": "0" * 64},
        "made_with": {"torch": "0", "code": "test"},
    }
    made = Checkpoint.objects.create(
        slug=name, folder="/nowhere", sha256="c" * 64, settings=asdict(Settings()), card=card, toy=toy
    )
    now = timezone.now()
    job = TrainingJob.objects.create(
        name=name,
        toy=toy,
        plan=Plan(name, (), ()).frozen(),
        code_version="test",
        status=Status.DONE,
        done=9,
        total=30,
        curve=curve,
        counts={"device": "cpu", "epochs": 3, "step_pairs": 4},
        started=now - timedelta(seconds=40),
        finished=now,
        made=made,
    )
    TrainingBook.objects.create(job=job, book=of, split="train")
    return job


def study(
    slug: str = "fleet",
    *,
    items: int = 3,
    overlap: int = 2,
    by: User | None = None,
    state: str = State.OPEN,
    task: str = "choice",
) -> Study:
    """A study with its places made, as if opened an hour ago; the items are those of a choice."""
    made = Study.objects.create(
        slug=slug,
        title="Boats and their critics",
        task=task,
        overlap=overlap,
        seed=7,
        option_order=OptionOrder.PER_ANNOTATOR,
        state=state,
        created_by=by,
        opened=timezone.now() - timedelta(hours=1) if state != State.DRAFT else None,
    )
    Guideline.objects.create(study=made, version=1, text="Choose the passage that reads best.")
    all_of_them = Item.objects.bulk_create(_item(made, number) for number in range(1, items + 1))
    if state != State.DRAFT:
        Assignment.objects.bulk_create(
            Assignment(study=made, item=one, slot=place)
            for one in all_of_them
            for place in range(1, overlap + 1)
        )
    if by:
        enrolment(made, by, role=Role.RESEARCHER, pseudonym="R1")
    return made


def item(of: Study, number: int, gold: int | None = None) -> Item:
    made = _item(of, number, gold)
    made.save(force_insert=True)
    return made


def rewrite(items: Iterable[Item], **said: Any) -> None:
    """Another payload, gold or both for items that are frozen: with the numbers that follow from them."""
    for each in items:
        for name, value in said.items():
            setattr(each, name, value)
        each.save()


def _item(of: Study, number: int, gold: int | None = None) -> Item:
    payload = {
        "left": [f"Essay {number} begins with the sea.", "It comes to the point."],
        "right": ["Nothing in the book is plainer.", "The rest follows."],
        "options": [f"Item {number}, the {word} passage." for word in ("first", "second", "third")],
        "language": "en",
        "citation": "Critic 1911",
        "book": "The Boats",
    }
    return Item(
        study=of,
        number=number,
        payload=payload,
        gold={"option": number % 3 if gold is None else gold},
        digest=hashlib.sha256(f"{of.slug} {number}".encode()).hexdigest(),
    )


def enrolment(
    of: Study, user: User, *, role: str = Role.ANNOTATOR, pseudonym: str | None = None, **fields: Any
) -> Enrolment:
    taken = Enrolment.objects.filter(study=of, role=Role.ANNOTATOR).count()
    name = pseudonym or chr(ord("A") + taken)
    return Enrolment.objects.create(study=of, user=user, role=role, pseudonym=name, **fields)


def analyse() -> None:
    """Have PostgreSQL count what a test's transaction holds, which its own counting cannot see.

    Of tables counted as empty it walks the whole for each row of another: seconds become minutes.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def erasable(reader: Enrolment) -> None:
    """Announce that what this reader said goes, so that a test can write it anew."""
    Erasure.objects.create(study=reader.study_id, enrolment=reader.pk, extent="all", created=timezone.now())


def read_by(*readers: User, **fields: Any) -> Study:
    """A study in which these readers are enrolled: as A, as B …"""
    made = study(**fields)
    for reader in readers:
        enrolment(made, reader)
    return made


def judgment(of: Study, number: int, by: Enrolment, option: int | None = 0, **fields: Any) -> Judgment:
    """What a reader said of an item, at their own place there or the next free one; None: can't decide."""
    places = Assignment.objects.filter(study=of, item__number=number).order_by("slot")
    place = places.filter(annotator=by).first() or places.get(slot=1 + places.exclude(annotator=None).count())
    now = timezone.now()
    Assignment.objects.filter(pk=place.pk).update(annotator=by, status=AssignmentStatus.DONE, claimed=now)
    answered = {"outcome": Outcome.UNDECIDED, "reason": "More than one fits"} if option is None else {
        "outcome": Outcome.ANSWER, "answer": {"option": option},
    }  # fmt: skip
    said = {"order": [0, 1, 2], "submission": uuid.uuid4(), "channel": "web", "created": now}
    return Judgment.objects.create(assignment=place, annotator=by, **{**said, **answered, **fields})


def release_expired(now: datetime) -> None:
    """Free the places whose lease has run out, so that the next reader takes them before any other."""
    for place in Assignment.objects.work().filter(status=AssignmentStatus.HELD, lease_until__lte=now):
        record_expiry(place)
        Assignment.objects.filter(pk=place.pk).update(**EMPTY)


def machine_reader(of: Study, endpoint: str = "lamp", **fields: Any) -> MachineReader:
    """A machine reader of a study, with a prompt, that has read nothing."""
    prompt = of.prompts.first() or PromptVersion.objects.create(
        study=of, version=1, system="{{task}} {{reply}}", template="{{item}}", sha256="0" * 64
    )
    asked = {"parameters": {"temperature": 0, "max_tokens": 60}, "replicates": 1, "prompt": prompt}
    number = of.machine_readers.count() + 1
    said = {"name": f"M{number}", "endpoint": endpoint, "seed": 7, **asked, **fields}
    return MachineReader.objects.create(study=of, **said)


def pick(place: Assignment, option: int | str) -> dict[str, str]:
    """What the form of that place, and its reader's script, sends for the option of that canonical number."""
    if place.annotator is None:
        place = Assignment.objects.select_related("annotator", "item", "study").get(pk=place.pk)
    assert place.annotator is not None
    return {"position": str(list(order_at(place, place.annotator)).index(int(option)))}


def closed_study(
    readers: list[User], *, adjudicator: User | None = None, by: User | None = None, slug: str = "closed"
) -> Study:
    """Closed after one item, on which all readers differ."""
    made = study(slug, items=1, overlap=len(readers), by=by)
    for option, user in enumerate(readers):
        judgment(made, 1, enrolment(made, user), option)
    if adjudicator:
        enrolment(made, adjudicator, role=Role.ADJUDICATOR, pseudonym="J1")
    Study.objects.filter(pk=made.pk).update(state=State.CLOSED, closed=timezone.now())
    return Study.objects.get(pk=made.pk)


def collection(slug: str = "quays", topics_slug: str = "boats") -> dict[str, Any]:
    """Make a small corpus with a run and a pool, and topics of which one was reworded; return their slugs."""
    corpus = Corpus.objects.create(
        slug=slug,
        title="Quays",
        state=CorpusState.READY,
        n_documents=4,
        n_words=60,
        recipe={"name": "quays"},
    )
    documents = Document.objects.bulk_create(
        Document(
            corpus=corpus,
            number=n,
            external_id=f"quay-{n + 1}",
            text=SENTENCES[n],
            genre="fiction" if n % 2 else "criticism",
            source_key="quay",
            digest=str(n),
        )
        for n in range(4)
    )
    topics = TopicSet.objects.create(slug=topics_slug, title="Boats", facets=["specificity"])
    topic = Topic.objects.create(topics=topics, number=0, external_id="1")
    said = {
        "title": "late boats",
        "description": "When do the boats go out?",
        "facets": {"specificity": "broad"},
    }
    TopicVersion.objects.create(topic=topic, **said)
    wording = TopicVersion.objects.create(
        topic=topic, version=2, **said, narrative="Any boat.", why="Too short."
    )
    run = Run.objects.create(corpus=corpus, topics=topics, name="bm25", ranker="bm25", depth=4, n_rows=8)
    Ranked.objects.bulk_create(
        Ranked(run=run, topic=wording, rank=n, document=each, score=1 / n)
        for n, each in enumerate(documents, 1)
    )
    pool = Pool.objects.create(
        corpus=corpus, topics=topics, number=1, depth=4, counts={"bm25": {"gave": 4, "alone": 4}}
    )
    pool.runs.set([run])
    PoolEntry.objects.bulk_create(
        PoolEntry(pool=pool, topic=topic, document=each, best_rank=n, n_runs=1)
        for n, each in enumerate(documents, 1)
    )
    return {"corpus": corpus.slug, "topics": topics.slug}


def judged_collection() -> dict[str, Any]:
    """Make the same with a second topic, a second run, and judgments; return names of all of them."""
    slugs = collection()
    corpus, topics = Corpus.objects.get(slug=slugs["corpus"]), TopicSet.objects.get(slug=slugs["topics"])
    first = topics.members.get()
    second = Topic.objects.create(topics=topics, number=1, external_id="2")
    facets = {"specificity": "specific"}
    wording = TopicVersion.objects.create(topic=second, title="quiet boats", facets=facets)
    bm25, documents = corpus.runs.get(name="bm25"), list(corpus.documents.order_by("number"))
    Ranked.objects.bulk_create(
        Ranked(run=bm25, topic=wording, rank=n, document=each, score=1 / n)
        for n, each in enumerate(documents, 1)
    )
    rm3 = Run.objects.create(corpus=corpus, topics=topics, name="rm3", ranker="bm25", depth=4, n_rows=7)
    Ranked.objects.bulk_create(
        Ranked(run=rm3, topic=version, rank=n, document=each, score=1 / n)
        for version, ranked in ((bm25.rows.first().topic, documents[::-1]), (wording, documents[1:]))
        for n, each in enumerate(ranked, 1)
    )
    qrels = Qrels.objects.create(corpus=corpus, topics=topics, name="experts", source="Two experts")
    Grade.objects.bulk_create(
        Grade(qrels=qrels, topic=topic, document=documents[at], grade=grade)
        for topic, grades in ((first, (4, 0, 1)), (second, (0, 3, 0)))
        for at, grade in enumerate(grades)
    )
    search = SearchJob.objects.create(
        corpus=corpus,
        topics=topics,
        name=bm25.name,
        plan=plans.as_json(plans.Plan()),
        run=bm25,
        status="done",
        code_version="test",
    )
    named = {"run": bm25.name, "qrels": qrels.name, "pool": 1, "search": search.pk}
    return {**slugs, **named, **asked_of_models(corpus, topics, bm25, documents)}


def asked_of_models(
    corpus: Corpus, topics: TopicSet, run: Run, documents: Sequence[Document]
) -> dict[str, Any]:
    """Make a finished re-ranking, and a set of three questions; return their names."""
    asked = EndpointJob.objects.create(
        what=What.RERANK,
        corpus=corpus,
        topics=topics,
        name=run.name,
        endpoint="scripted",
        plan=RerankPlan(run=run.name, objective="It names a boat.").as_json(),
        budget=Budget.objects.create(title="Re-ranking", limit=2_000_000, spent=120_000, calls=2),
        run=run,
        status="done",
        code_version="test",
        total=2,
        done=2,
    )
    found = QuestionSet.objects.create(corpus=corpus, slug="cited", title="What is cited of boats")
    texts = ("Which account tells how late the boats go out?", "Late boats, where?", "")
    for number, (text, standing) in enumerate(zip(texts, ("written", "refused", "waiting"), strict=True), 1):
        question = Question.objects.create(
            set=found,
            number=number,
            paragraph="The boats go out late [CITED], whatever the weather.",
            source=documents[3],
            text=text,
            standing=standing,
            refused=["It has 3 words; 5 are the least."] if standing == "refused" else [],
            overlap=0.25 if text else None,
            overlap_all=0.5 if text else None,
            writer="scripted" if text else "",
        )
        question.targets.add(documents[number])
        if text:
            QuestionEdit.objects.create(question=question, after=text, writer="scripted")
    return {"asked": asked.pk, "questions": found.slug}


def evaluations() -> dict[str, int]:
    """Evaluations of the runs of `judged_collection` in jobs: done, waiting, failed; return their keys."""
    corpus, topics = Corpus.objects.get(slug="quays"), TopicSet.objects.get(slug="boats")
    asked = Asked(corpus, topics, "experts", ("bm25", "rm3"), base="bm25")
    done, failed = computing.submit(asked), computing.submit(asked._replace(level=99))
    for job in (done, failed):
        computing.attempt(job.pk, "builder")
    waiting = computing.submit(asked._replace(base=""))
    return {"evaluation": done.pk, "waiting_evaluation": waiting.pk, "failed_evaluation": failed.pk}
