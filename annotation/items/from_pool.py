"""The documents of a pool → items: a topic in its current wording, a document, the scale of the study.

Which runs brought a document, and at which ranks, is left behind: neither the payload nor the order of the
items tells it. They are numbered by topic, then by the documents' place in the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.items.payloads import FileItem
from annotation.models import Study
from annotation.tasktypes.base import Invalid, TaskType
from common.errors import BadInput
from retrieval.corpora.models import Corpus, Document, Pool, TopicVersion
from retrieval.corpora.runs import naming

AT_ONCE = 500
OF_TOPIC = ("description", "narrative", "language")
OR_LEAVE_OUT = "Documents that can be no item are left out by --leave-out, or by that choice on the page."
OF_DOCUMENT = ("title", "genre", "year", "language")


def named_pool(corpus: str, topics: str, number: int | None) -> Pool:
    """Return the pool of that number, or the last. Raises `BadInput` with what would be right."""
    rows = Pool.objects.filter(corpus=naming.corpus(corpus), topics=naming.topic_set(topics))
    known = list(rows.order_by("number").select_related("corpus", "topics"))
    if not known:
        raise BadInput(f"There is no pool of “{topics}” in “{corpus}”: make_pool makes one of some runs.")
    found = known[-1] if number is None else next((each for each in known if each.number == number), None)
    if found is None:
        numbers = ", ".join(str(each.number) for each in known)
        raise BadInput(f"There is no pool {number} of “{topics}” in “{corpus}”: there are {numbers}.")
    return found


def entries(
    pool: Pool,
    study: Study | None,
    task: TaskType,
    shared: dict[str, Any],
    left_out: list[str] | None = None,
) -> Iterator[FileItem]:
    """Yield an item for each document of the pool that the study does not have for that topic.

    `shared` is what all items of the study have in common, such as their scale. Nothing is judged twice
    because two pools hold it, nor because the wording of a topic is another since. A document that can be no
    item, such as one that is too long, goes to `left_out` in a few words; raises `BadInput` where that is
    None.
    """
    rows = study.items.values_list("provenance__identity", flat=True) if study is not None else ()
    there = {name for name in rows if name}
    wordings = {
        each.topic_id: each
        for each in TopicVersion.objects.filter(topic__topics=pool.topics).order_by("version")
    }
    found = pool.entries.select_related("document", "topic").order_by("topic__number", "document__number")
    for entry in found.iterator(AT_ONCE):
        wording = wordings[entry.topic_id]
        payload = {
            "topic": of_topic(entry.topic.external_id, wording),
            "document": of_document(entry.document, pool.corpus),
            **shared,
        }
        if task.identity(payload) in there:
            continue
        pair = f"topic {entry.topic.external_id}, document {entry.document.external_id}"
        try:
            task.check_payload(payload)
        except Invalid as error:
            if left_out is None:
                raise BadInput(f"{pool}, {pair}: {error} {OR_LEAVE_OUT}") from None
            left_out.append(pair)
            continue
        made = {"pool": pool.pk, "topic_version": wording.pk, "document": entry.document_id}
        yield FileItem(f"{pool}, {pair}", payload, None, made)


def of_topic(name: str, wording: TopicVersion) -> dict[str, Any]:
    """Return a topic as items hold it; what is empty is left out."""
    return {"id": name, "title": wording.title, **filled(wording, OF_TOPIC)}


def of_document(document: Document, corpus: Corpus) -> dict[str, Any]:
    """Return a document as items hold it. One that is a title only is read as a text."""
    about = {"language": corpus.language, **filled(document, OF_DOCUMENT)}
    text = document.text if document.text.strip() else about.pop("title", "")
    return {"id": document.external_id, "text": text, **about}


def filled(row: TopicVersion | Document, names: tuple[str, ...]) -> dict[str, Any]:
    """Return those fields of a row that hold something."""
    values = {name: getattr(row, name, None) for name in names}
    return {name: value for name, value in values.items() if value not in (None, "")}
