"""A picture of every page, and docs/pages.md which shows them: `make screenshots`.

`python -m tests.browser.gallery NAME …` takes some again, by the ends of their names.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import django

from tests.browser import chromium
from tests.browser.scenery_adjudicating import JO
from tests.browser.site import ROOT, Site, started
from tests.browser.test_audit import MARKED, MEASURED, PAGES, READER, SOUGHT, Visit, go

FOLDER = ROOT / "docs" / "screenshots" / "pages"
TOUR = ROOT / "docs" / "pages.md"
COLOURS = 48
MOST_BYTES = 90_000
WIDTH, HEIGHT = 1280, 860


class Shown(NamedTuple):
    """A page by the name of its address, what it is for, and who looks where: left out, the audit's first."""

    name: str
    what: str
    seen: Visit | None = None

    @property
    def file(self) -> str:
        return self.name.replace(":", "-").replace("_", "-") + ".png"

    @property
    def visit(self) -> Visit:
        return self.seen or PAGES[self.name][0]


HAL = "hal-of-the-ferry"
TIDE, SERMON, LAMPS = ("=tide-simulated",), ("=sermon-simulated",), ("=lamps",)
SECTIONS: dict[str, tuple[Shown, ...]] = {
    "Coming in": (
        Shown("login", "Signing in; a link from whoever runs the site does the same without a password."),
        Shown("signin", "A sign-in link says whom it signs in, and its button uses it up."),
        Shown("signin_before", "A link that has ended says so, and whom to ask."),
        Shown("password", "A password of one’s own, for whoever came by a link, or another one."),
        Shown("new_password", "A new password by a link of its own kind, for one that was forgotten."),
        Shown("annotation:join", "An invitation: what the study is, and a name or none."),
        Shown("home", "Home shows each person what waits for them."),
        Shown("annotation:consent", "Consent comes before the first item, with its version."),
        Shown("annotation:declined", "Who does not agree is told what that means, and may think again."),
    ),
    "Reading": (
        Shown("annotation:begin", "What is asked, how far one is, and the button that gives the next item."),
        Shown("annotation:work", "The item.", Visit(READER, ("place",))),
        Shown("annotation:feedback", "After a practice answer: what was expected, and why."),
        Shown("annotation:done", "What one has said, and the ways back to it.", Visit(READER, ("=harbour",))),
        Shown("annotation:messages", "Notes, and what the researcher answered."),
        Shown(
            "annotation:own_page",
            "What is done and left, at what pace, for what pay.",
            Visit(HAL, ("=ferry",)),
        ),
        Shown(
            "annotation:notebook",
            "One’s own answers and notes, to be searched, printed and kept.",
            Visit(READER, ("=harbour",)),
        ),
        Shown("annotation:own_mail", "Where one is written to, or not at all."),
        Shown("annotation:stop_mail", "One press, and no more e-mail; nobody signs in for it."),
        Shown("annotation:confirm_mail", "Whose an address is, before anything is sent to it."),
        Shown("annotation:leave", "Leaving a study; what was done stays."),
        Shown("annotation:withdraw", "Withdrawing: what disappears, and what is kept."),
        Shown("annotation:decisions", "After the study: what was decided on one’s own items, and why."),
        Shown("annotation:preferences", "Size, spacing, face, paper and keys."),
    ),
    "Decisions": (
        Shown("annotation:adjudicate", "What waits to be decided, most disputed first.", Visit(JO, TIDE)),
        Shown("annotation:adjudicate_item", "An item: readings without names, one adopted or another given."),
    ),
    "Setting a study up": (
        Shown("annotation:studies", "The studies of a researcher."),
        Shown("evaluation:plan", "How many items and readers a study needs.", Visit("dora")),
        Shown("annotation:build", "A new study: from a job, from a file, or empty."),
        Shown("annotation:setup", "What is set, and what is still missing.", Visit("dora", ("draft",))),
        Shown("annotation:step", "A step of setting up.", Visit("dora", ("draft", "=reading"))),
        Shown("annotation:setup_items", "Items from a job or a file, for a draft or a study that is open."),
        Shown("annotation:sample", "The sample of what a machine judged, before it is drawn."),
        Shown("annotation:setup_consent", "The consent, by versions."),
        Shown("evaluation:stopping", "When reading may stop, chosen beforehand.", Visit("dora", ("ready",))),
        Shown("annotation:guidelines", "The guidelines, by versions, with who followed which."),
        Shown("annotation:invite", "Invitations, for one person or for several."),
        Shown("annotation:recruiting", "Links for services that send readers, and the list for payment."),
        Shown("annotation:mail", "What readers are written of, and what to send by hand."),
        Shown("annotation:mail_template", "The words of a message, with how it is read."),
        Shown("annotation:people", "Who takes part as what."),
        Shown("annotation:open", "Opening asks once more, and says what follows.", Visit("dora", ("ready",))),
        Shown("annotation:duplicate", "The same study again, without its people and judgments."),
    ),
    "While it runs": (
        Shown("annotation:study", "The study.", Visit("dora", ("=harbour",))),
        Shown("evaluation:watch", "The live page.", Visit("dora", ("=harbour",))),
        Shown("annotation:items", "All items, with what was said of each."),
        Shown("annotation:item", "An item with gold, ranks and scores.", Visit("dora", (*TIDE, "item"))),
        Shown("annotation:notes", "The notes of all readers, answered where they stand."),
        Shown("annotation:leaks", "Answers that a draft prints elsewhere, with the words marked."),
        Shown("annotation:machines", "Models that read beside people, here a script."),
        Shown("annotation:machine_prompt", "What a model is told, by versions."),
        Shown("annotation:new_machine_reader", "A new machine reader, of an allowed model."),
        Shown("annotation:import_answers", "A system’s answers, read in from a file."),
        Shown(
            "annotation:machine_reader",
            "A machine reader: tried on three items, with what reading would cost.",
            Visit("dora", ("=tide-simulated", "=M2")),
        ),
        Shown("annotation:machine_readings", "What it said, with the raw replies."),
        Shown("annotation:delete_machine", "Deleting a machine reader."),
        Shown("annotation:workbench", "Items that readers find wanting."),
        Shown("annotation:workbench_item", "Repairing one: its candidates, and those next in rank."),
        Shown("annotation:erase", "Erasing a reader who asked for it."),
        Shown("annotation:close", "Closing."),
        Shown("annotation:delete", "Putting a study away, for thirty days."),
    ),
    "Results": (
        Shown("evaluation:results", "Every number with its interval.", Visit("dora", TIDE)),
        Shown("evaluation:microscope", "Every definition of agreement side by side.", Visit("dora", TIDE)),
        Shown("evaluation:difficulty", "What makes items hard, and what lures.", Visit("dora", TIDE)),
        Shown("evaluation:cues", "How often those are right who never read.", Visit("dora", TIDE)),
        Shown("evaluation:validation", "A machine, validated by a sample.", Visit("dora", LAMPS)),
        Shown("evaluation:apparatus", "Items by disagreement.", Visit("dora", SERMON)),
        Shown("evaluation:apparatus_item", "The readings of an item.", Visit("dora", (*SERMON, "=1"))),
        Shown("evaluation:span_queries", "Spans made queries of a search.", Visit("dora", SERMON)),
        Shown("evaluation:paper", "Tables of papers, methods and citation.", Visit("dora", TIDE)),
        Shown("annotation:export", "Exports.", Visit("dora", TIDE)),
        Shown("evaluation:bundle", "Data and report in one signed file.", Visit("dora", TIDE)),
        Shown("evaluation:qrels", "Judgments of documents, by a rule.", Visit("dora", LAMPS)),
        Shown("annotation:record", "Who did what when.", Visit("dora", TIDE)),
        Shown("annotation:webhooks", "Who outside is told of it, and what arrived.", Visit("dora", TIDE)),
        Shown("annotation:site_record", "The record of the whole site, for its superusers."),
        Shown("annotation:tokens", "Keys for scripts, shown once."),
        Shown("api:page", "What scripts can ask for."),
    ),
    "Books, critics, excerpts": (
        Shown("retrieval:books", "The library."),
        Shown("retrieval:import_book", "Loading a novel, with a preview."),
        Shown("retrieval:book", "A book as it was cut into sentences.", Visit("stan", ("book",), MARKED)),
        Shown("retrieval:book_parts", "Headings and parts that are no text."),
        Shown("retrieval:search", "Evidence search.", Visit("dora", ("book",), SOUGHT)),
        Shown("retrieval:sources", "The critics."),
        Shown("corpora:corpora", "Corpora of documents, and what is asked of them."),
        Shown("corpora:corpus", "A corpus: its genres, its runs, its documents."),
        Shown("corpora:document", "A document where it stands."),
        Shown("retrieval:corpus_searches", "Launching a search of a corpus."),
        Shown("retrieval:corpus_search", "A search of a corpus, and the run that came of it."),
        Shown("retrieval:reranking", "A model puts the first documents of a run into a better order."),
        Shown("retrieval:recall", "Which topics a model answers without any document."),
        Shown("retrieval:endpoint_job", "A re-ranking: how far it is, what it spent, what it noticed."),
        Shown("retrieval:question_sets", "Questions about a corpus, and a new set of them."),
        Shown("retrieval:question_set", "A set of questions, with what refuses some of them."),
        Shown("retrieval:question_set_write", "Having questions written by a model."),
        Shown("retrieval:question", "One question: what it was written from, and every change."),
        Shown("retrieval:question_set_export", "Questions made topics with targets."),
        Shown("corpora:expansion", "Which words each genre would add to a topic, side by side."),
        Shown("corpora:run", "A run: what it ranks first, and how much of that was judged."),
        Shown("corpora:pool", "A pool: what each run gave, and what is still to be judged."),
        Shown("corpora:load_file", "Loading a run of another system, or judgments."),
        Shown("corpora:new_topics", "A new set of topics, of a file or one by one."),
        Shown("corpora:add_topic", "Adding a topic."),
        Shown("corpora:topics", "Topics in their current wording."),
        Shown("corpora:topic", "A topic with every wording it had, and a form for another."),
        Shown(
            "evaluation:runs",
            "Runs measured on judgments, and compared topic by topic.",
            Visit("dora", ("corpus", "topics"), MEASURED),
        ),
        Shown(
            "evaluation:allusions",
            "Systems that look for allusions, on tokens and lemmas, beside what the paper prints.",
            Visit("dora", ("psalter", "psalms")),
        ),
        Shown(
            "evaluation:allusion_runs",
            "Runs that the tables on allusions lack, and what cannot be made.",
            Visit("stan", ("psalter", "psalms")),
        ),
        Shown(
            "evaluation:evaluation",
            "Runs measured by a worker: the numbers, and whether they still hold.",
            Visit("dora", ("evaluation",)),
        ),
        Shown("retrieval:import_source", "Loading a critic."),
        Shown("retrieval:source", "A critic’s text, with its quotations marked."),
        Shown("retrieval:find_excerpts", "Looking for quotations."),
        Shown("retrieval:find_many", "Looking for the quotations of many critics in many books, as one job."),
        Shown("retrieval:loading", "What a search for quotations found, and what it left out."),
        Shown("retrieval:matches", "What was found, by critic and book."),
        Shown("retrieval:source_matches", "What one critic quotes, and what was dropped and why."),
        Shown("retrieval:exclude", "Excluding a stretch that is no criticism."),
        Shown("retrieval:take", "Taking a dropped quotation by hand."),
        Shown("retrieval:excerpts", "The excerpts.", Visit("dora", (), "?standing=all")),
        Shown("retrieval:excerpt", "An excerpt: the critic’s page beside the novel’s."),
        Shown("retrieval:excerpt_borders", "Moving its borders."),
        Shown("retrieval:book_delete", "Deleting a book asks once more, and names what stands on it."),
        Shown("retrieval:source_delete", "Deleting a critic, likewise."),
        Shown("retrieval:excerpt_delete", "Deleting an excerpt, likewise."),
        Shown("retrieval:loading_delete", "Deleting a search or an import."),
        Shown("retrieval:deletions", "What was deleted, by whom and why."),
        Shown("machines:models", "Language models that may be asked: what each honours, and what was spent."),
        Shown("retrieval:collection", "The collection in the numbers RELiC prints of itself."),
        Shown("retrieval:import_relic", "Loading RELiC’s published files."),
    ),
    "Rankers and jobs": (
        Shown("retrieval:generate", "Launching a candidate job."),
        Shown("retrieval:jobs", "The jobs."),
        Shown("retrieval:launch", "Choosing the book that a new job is for."),
        Shown("retrieval:job_delete", "Deleting a job, and what stands on it."),
        Shown("retrieval:training_delete", "Deleting a training."),
        Shown("retrieval:words_delete", "Deleting a table of words."),
        Shown("retrieval:job", "A job that has ended."),
        Shown("evaluation:ranking", "Where the right passages were ranked."),
        Shown("retrieval:trainings", "The trainings, the checkpoints, and the tables of words."),
        Shown("retrieval:train", "Planning a training."),
        Shown("retrieval:training", "A training: steps, losses, model card."),
    ),
}  # fmt: skip


def tour() -> str:
    """The text of docs/pages.md."""
    lines = ["# Every page", "", "A walk through all of it. The pictures are made by `make screenshots`."]
    lines += ["", "A study’s pages stand in six groups: overview, set up, people, live, results and data."]
    for title, pages in SECTIONS.items():
        lines += ["", f"## {title}"]
        for each in pages:
            lines += ["", each.what, "", f"![{each.what}](screenshots/pages/{each.file})"]
    return "\n".join(lines) + "\n"


def smaller(picture: bytes) -> bytes:
    """The same picture in a palette."""
    from PIL import Image

    made = io.BytesIO()
    flat = Image.open(io.BytesIO(picture)).convert("RGB")
    flat.quantize(COLOURS, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
    return made.getvalue()


def take(browser: Any, site: Site, world: dict[str, Any], shown: Shown) -> None:
    seen = shown.visit
    page, _ = chromium.opened(
        browser, site, seen.who, viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce"
    )
    reply = go(page, world, shown.name, seen.args, seen.query)
    assert reply.status == seen.status, f"{shown.name}: {reply.status}"
    picture = smaller(page.screenshot(scale="css", animations="disabled"))
    (FOLDER / shown.file).write_bytes(picture)
    sys.stdout.write(f"pages/{shown.file}  {len(picture) / 1000:.0f} KB\n")
    assert len(picture) <= MOST_BYTES, f"{shown.file} is too heavy for a page that shows all of them."
    page.context.close()


def main() -> None:
    django.setup()
    FOLDER.mkdir(parents=True, exist_ok=True)
    TOUR.write_text(tour(), encoding="utf-8")
    wanted = tuple(sys.argv[1:])
    with TemporaryDirectory() as folder, started(Path(folder)) as site, chromium.launched() as browser:
        site.ask("some_reading", study="tide", done={"ada": 12, "ben": 21, "cleo": 7}, seed=1889)
        world = site.ask("scenery")
        for shown in (each for pages in SECTIONS.values() for each in pages):
            if not wanted or shown.name.endswith(wanted):
                site.ask("worker")
                take(browser, site, world, shown)


if __name__ == "__main__":
    main()
