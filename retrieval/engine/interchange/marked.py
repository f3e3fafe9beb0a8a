"""Topics in XML, as TREC writes them since 2009: an element `topic` for each, its fields below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from common.errors import BadInput
from retrieval.engine.formats.trees import Element, xml
from retrieval.engine.interchange.lines import Line, Wrong
from retrieval.engine.interchange.objects import checked_id
from retrieval.engine.interchange.topics import ReadTopic

_IDS = ("number", "num", "id", "qid")
_TITLES = ("title", "query", "summary")
_FIELDS = {"description": ("description", "desc", "question"), "narrative": ("narrative", "narr")}


def topics(lines: Iterable[Line], wrong: Wrong) -> Iterator[ReadTopic]:
    """Yield the topics of a file in XML. No entity is resolved but those of characters, no other file opened.

    The id of a topic is its attribute or element `number` (or `num`, `id`, `qid`); its title the element
    `title`, `query` or `summary`, or the words of a topic without elements; `description`, `desc` or
    `question`, and `narrative` or `narr`, are what they are elsewhere. Other attributes, such as the `type`
    of the Web track, are facets; other elements are passed over.

    Raises:
        BadInput: it is no XML, holds no topic, or a topic has no id or no title.
    """
    text = "\n".join(line.text for line in lines)
    if text.startswith("<?xml"):
        # The lines are decoded already: what it says of its encoding no longer holds. Its breaks are counted.
        declared, _, text = text.partition("?>")
        text = "\n" * declared.count("\n") + text
    try:
        root = xml(text.encode(), "the file")
    except BadInput as error:
        # What the parser says of a fault has its line; what is said of an entity has none.
        line = getattr(error.__context__, "lineno", None) or 1
        raise wrong(line, f"{error} Topics in XML were expected.") from None
    found = [each for each in root.iter() if _name(each) in ("topic", "top")]
    if not found:
        raise wrong(1, f"no <topic> in <{_name(root)}>; an element <topic> for each topic was expected.")
    for each in found:
        yield _topic(each, wrong)


def _topic(each: Element, wrong: Wrong) -> ReadTopic:
    line = int(each.sourceline)
    attributes = {_plain(name).lower(): value.strip() for name, value in each.attrib.items()}
    below: dict[str, str] = {}
    for child in each:
        below.setdefault(_name(child), _words(child))

    def first(names: tuple[str, ...], *wheres: dict[str, str]) -> str:
        return next((where[name] for where in wheres for name in names if where.get(name)), "")

    external_id = first(_IDS, attributes, below)
    if not external_id:
        raise wrong(line, "the topic has no number; an attribute or an element number was expected.")
    title = first(_TITLES, below) or ("" if len(each) else _words(each))
    if not title:
        raise wrong(line, f"the topic {external_id[:60]!r} has no <title>, <query> or <summary>.")
    return ReadTopic(
        checked_id(external_id, line, wrong),
        title,
        first(_FIELDS["description"], below),
        first(_FIELDS["narrative"], below),
        "",
        "",
        {name: value for name, value in attributes.items() if name not in _IDS and value},
        line,
    )


def _name(element: Element) -> str:
    return _plain(element.tag).lower() if isinstance(element.tag, str) else ""


def _plain(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition("}")[2]


def _words(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())
