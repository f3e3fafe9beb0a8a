"""The methods paragraph in English, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.models import Origin, State
from common.wording import day
from evaluation.paper.methods import rubric, validated
from evaluation.paper.methods.facts import Facts, Machine, OfJob, OfPool
from evaluation.paper.methods.rubric import Reported
from evaluation.report.sentences import intervals
from evaluation.stopping.sentences import sentences as stopping
from evaluation.values.sentences import added, withdrawn
from evaluation.values.wording import counted, in_prose, listed

TASKS = {
    "choice": "to choose the passage that is missing from a piece of criticism",
    "grade": "to grade a passage on a scale",
    "relevance": "to grade how relevant a document is to a topic",
    "rubric": "to answer the questions of a rubric about a text",
    "span": "to mark the words of a passage that make an allusion",
    "spans": "to mark the words of a passage that make an allusion, in one place or in several",
}
BESIDE = "; the number to compare"
"""What a definition says beside what the measure is."""
ASKED = {
    "confidence": "how sure they were",
    "basis": "whether they recognised, worked out or guessed the answer",
}
OPENED = {
    "neighbours": "what stands before and behind a document in its source",
    "earlier": "their own earlier answers of the same group",
    "source": "the passages of an item in their book, once their answer to it stood for good",
}


def paragraph(found: Facts) -> str:
    """Return the paragraph."""
    return " ".join(_sentences(found))


def _sentences(found: Facts) -> Iterator[str]:
    done = found.report.n_answers + found.report.n_undecided + found.report.n_broken
    yield from _task(found)
    yield from _made(found)
    if not done:
        yield "No reading has been given yet."
    yield from _assigned(found)
    if done:
        yield from _readers(found)
        yield from _excluded(found)
        yield from _settled(found)
    yield from map(in_prose, stopping(found.report.looked))
    if found.validated:
        yield from validated.english(found.validated)
    yield from _machines(found.machines)
    if found.measures:
        yield from _measures(found)
    yield f"All of this was done with Variorum {found.report.version}."


def _task(found: Facts) -> Iterator[str]:
    task = TASKS.get(found.task, f"“{found.task}”")
    each = f", among {found.report.n_options} options" if found.own_order is not None else ""
    yield f"In the study “{found.report.title}” the task is {task}{each}."
    items = counted(found.report.n_items, "item", "items")
    known = ""
    if found.n_gold:
        known = f", of which {counted(found.n_gold, 'has', 'have')} a known right answer"
        if found.n_gold == found.report.n_items:
            known = (
                ", whose right answer is known" if found.n_gold == 1 else ", each with a known right answer"
            )
    topics = f" of {counted(found.report.n_topics, 'topic', 'topics')}" if found.report.n_topics else ""
    yield f"It has {items}{topics}{known}."
    if found.questions:
        yield rubric.english(found.questions)


def _made(found: Facts) -> Iterator[str]:
    if found.job:
        yield _of_job(found.job)
    if found.beyond:
        yield f"Only excerpts were taken whose right passage stood beyond rank {found.beyond:,}."
    yield from map(_of_pool, found.pools)
    if found.n_excerpts:
        drawn = counted(found.n_excerpts, "is an excerpt", "are excerpts")
        yield f"Of the items {drawn} drawn at random (seed {found.report.seed})."
    elif not found.job and not found.pools:
        yield "The items were loaded as they are; how they were made is not recorded with the study."


def _of_job(job: OfJob) -> str:
    context = f"{job.left} before and {job.right} after the gap"
    text = (
        f"The items were made by candidate job {job.number}: {job.ranker} ranked the passages of "
        f"“{job.book}” by the sentences of criticism around each covered quotation ({context})"
    )
    wrong = counted(job.negatives, "wrong passage", "wrong passages")
    if job.pool:
        return f"{text}, which gave a pool of {job.pool} passages for each quotation."
    if job.matched:
        return f"{text}, and {wrong} that look like the right one stand beside it (seed {job.seed})."
    how = "the best-ranked" if job.negatives == 1 else "the best-ranked ones"
    return f"{text}, and {wrong} stand beside the right one: {how} that no rule of exclusion leaves out."


def _of_pool(pool: OfPool) -> str:
    runs = listed(pool.runs) if pool.runs else "no named run"
    first = "the first document" if pool.depth == 1 else f"the first {pool.depth} documents"
    return f"Documents are pooled from “{pool.corpus}”: {first} of {runs} for each topic of “{pool.topics}”."


def _assigned(found: Facts) -> Iterator[str]:
    are = "is" if found.is_open else "was"
    if found.opened:
        first, last = day(found.opened), day(found.closed) if found.closed else ""
        span = f"from {first} to {last}" if first != last else f"on {first}"
        yield f"The study {f'was open {span}' if last else f'has been open since {first}'}."
    yield from added(found.report.added)
    readers = f"{counted(found.overlap, 'reader', 'different readers')}"
    yield f"Each item {are} to be read by {readers} (k = {found.overlap})."
    if found.overlap > 1:
        each = (
            "so that every item was read once before any was read twice" if found.breadth else "item by item"
        )
        if found.n_given:
            yield f"Items were given out {each}."
    if found.own_order is not None and found.n_given:
        order = (
            f"an order drawn anew for each reader (seed {found.report.seed})"
            if found.own_order
            else "the same order for everybody"
        )
        yield f"Options stood in {order}."
    if found.groups and found.n_given:
        yield "Items of one group were read one after another."
    if found.n_given and found.overlap > 1:
        kept = counted(found.lease_minutes, "minute", "minutes")
        yield f"An item that its reader left untouched for {kept} was free for another."
    if found.n_given:
        yield "Nobody saw another reader’s answer while reading."


def _readers(found: Facts) -> Iterator[str]:
    told = found.report
    n = len(told.active)
    people = n - len([each for each in told.active if each.pseudonym in told.simulated])
    answers = counted(told.n_answers, "answer", "answers")
    yield (
        f"{counted(n, 'reader', 'readers').capitalize()} gave {answers} to "
        f"{counted(told.n_judged, 'item', 'items')}."
    )
    if n and not people:
        yield "The reader is a program, not a person." if n == 1 else "All of them are programs, not people."
    elif n - people:
        programs = counted(n - people, "is a program", "are programs")
        yield f"Of these readers {programs}, not {'a person' if n - people == 1 else 'people'}."
    if found.n_given < found.n_readings:
        yield f"Of {found.n_readings:,} readings {found.n_given:,} were given."
    if found.quota:
        yield f"A reader was given at most {counted(found.quota, 'item', 'items')}."
    if found.own_quotas:
        limits = counted(found.own_quotas, "reader had a limit", "readers had limits")
        yield f"{limits.capitalize()} of their own."
    if found.pass_mark and found.n_practice:
        practice = counted(found.n_practice, "practice item", "practice items")
        yield f"Before the work readers had to get {found.pass_mark} of {practice} right."
    elif found.n_practice:
        yield (
            f"{counted(found.n_practice, 'practice item was', 'practice items were').capitalize()} offered "
            "before the work."
        )
    if found.n_check and found.check_every:
        every = f"every {found.check_every} items" if found.check_every > 1 else "every item"
        yield f"A check item was mixed in after {every}; check items enter no number."
    yield from _told(found)


def _told(found: Facts) -> Iterator[str]:
    if found.guidelines:
        yield f"Answers followed written guidelines ({_versions(found.guidelines)})."
    if found.consents:
        yield f"Readers had agreed to a consent ({_versions(found.consents)})."
    if asked := [ASKED[each] for each in found.asks if each in ASKED]:
        yield f"With an answer readers were asked {listed(asked)}."
    if opened := [OPENED[each] for each in found.asks if each in OPENED]:
        yield f"Readers could open {listed(opened)}."
    if found.rate:
        yield f"An item was paid with {found.rate}."
    seen = found.report.machine_seen
    if seen is not None:
        yield (
            "A machine’s answer was part of the design: "
            f"{counted(seen.blind, 'answer was', 'answers were')} given "
            f"without it, {counted(seen.prefilled, 'was', 'were')} begun from it, and after "
            f"{counted(seen.revealed, 'answer', 'answers')} it was revealed; lots decided which."
        )


def _versions(versions: tuple[int, ...]) -> str:
    return (
        f"version {versions[0]}"
        if len(versions) == 1
        else f"versions {listed([str(each) for each in versions])}"
    )


def _excluded(found: Facts) -> Iterator[str]:
    told = found.report
    if told.n_undecided or told.n_broken:
        yield (
            f"“Can’t decide” was said {_times(told.n_undecided)} and “this item is broken” "
            f"{_times(told.n_broken)}; neither is an answer, and neither enters a measure."
        )
    if told.n_retired:
        yield (
            f"{counted(told.n_retired, 'item was', 'items were').capitalize()} replaced by another version "
            "and "
            f"{'enters' if told.n_retired == 1 else 'enter'} no number."
        )
    without = told.histogram.get(0, 0)
    if without:
        yield (
            f"{counted(without, 'item has', 'items have').capitalize()} no answer yet and "
            f"{'enters' if without == 1 else 'enter'} no number."
        )
    yield from withdrawn(told.withdrawn)


def _times(number: int) -> str:
    return ("never", "once", "twice")[number] if number < 3 else f"{number:,} times"


def _settled(found: Facts) -> Iterator[str]:
    settled = found.report.settled
    if settled is None:
        return
    decided = settled.n_settled + settled.n_open
    yield (
        f"{counted(decided, 'item was', 'items were').capitalize()} decided by adjudication, with the "
        "readings "
        "in view and without names; no measure of agreement looks at these decisions."
    )


def _machines(machines: tuple[Machine, ...]) -> Iterator[str]:
    if not machines:
        return
    names = listed([_machine(each) for each in machines])
    one = len(machines) == 1
    yield (
        f"{counted(len(machines), 'machine reader', 'machine readers').capitalize()} answered the same items "
        f"and {'enters' if one else 'enter'} no number on people: {names}."
    )


def _machine(each: Machine) -> str:
    if each.origin == Origin.RANKER:
        return f"{each.name} ({each.title}, a ranker: the passage with the highest score)"
    if each.origin == Origin.FILE:
        return f"{each.name} ({each.title}, read in from {each.file})"
    model = f", model {each.model}" if each.model else ""
    kind = "a script in a model’s place" if each.scripted else "a language model"
    return f"{each.name} ({each.title}, {kind}{model}, prompt version {each.prompt}{_asked(each)})"


def _asked(each: Machine) -> str:
    """How a model was asked."""
    heat = "" if each.temperature is None else f", temperature {each.temperature:g}"
    orders = f", options in {each.orders} orders" if each.orders > 1 else ""
    again = ""
    if each.replicates > 1 and each.repeated:
        again = f", {counted(each.repeated, 'item', 'items')} asked {_times(each.replicates)}"
    return f"{heat}{orders}{again}, seed {each.seed}"


def _measures(found: Facts) -> Iterator[str]:
    told = found.report
    defined = "; ".join(map(_defined, found.measures))
    yield f"Reported are: {defined}."
    if intervals(told):
        yield f"{intervals(told)} Readers are held fixed."
    if any(line.estimate.bootstrap for line in told.lines):
        yield (
            f"Beside them stands a percentile bootstrap with {told.resamples:,} resamples of the "
            f"{told.resampled} (seed {told.seed})."
        )
    if found.state == State.OPEN:
        yield "The study was still open when this was computed."


def _defined(found: Reported) -> str:
    """Name, questions, definition and publication."""
    one = found.measure
    definition = one.definition.partition(BESIDE)[0].removesuffix(".")
    name = f"{in_prose(one.label)}{rubric.english_of(found)}"
    return f"{name}: {in_prose(definition)} ({one.source.partition(' (')[0]})"
