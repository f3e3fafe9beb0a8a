"""Which single key does what on the reading page: the usual keys, and a reader's own instead.

Keys with a name (Enter, Esc, the arrows) are not single characters and stay as they
are; what WCAG 2.1.4 asks for, remapping and switching off, is about characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.tasktypes import registry
from annotation.tasktypes.base import Invalid, Key, TaskType
from common import wording

COMMON = (
    Key("undecided", "0", gettext_noop("can’t decide, with the reason")),
    Key("broken", "f", gettext_noop("something is wrong")),
    Key("note", "n", gettext_noop("a note to the researcher")),
    Key("later", "l", gettext_noop("later")),
    Key("take_back", "u", gettext_noop("take back what you did last: an answer, or later")),
    Key("back", "p", gettext_noop("previous item")),
    Key("find", "/", gettext_noop("find words in the texts on the page")),
    Key("keep", "y", gettext_noop("keep my answer, where a machine’s was shown after it")),
    # Where a study asks for it; digits choose passages, so the row of letters below them counts instead.
    Key("sure_1", "q", gettext_noop("how sure, where it is asked: 1, not at all")),
    Key("sure_2", "w", gettext_noop("how sure: 2")),
    Key("sure_3", "e", gettext_noop("how sure: 3")),
    Key("sure_4", "r", gettext_noop("how sure: 4")),
    Key("sure_5", "t", gettext_noop("how sure: 5, certain")),
    Key("recognised", "m", gettext_noop("recognised: from memory, where it is asked")),
    Key("worked_out", "o", gettext_noop("worked out")),
    Key("guessed", "g", gettext_noop("guessed")),
)
OFF = "off"


def common_keys(task: type[TaskType] | TaskType) -> tuple[Key, ...]:
    """Return the keys of every task as they are in this one, which may need some of them for itself."""
    return tuple(each._replace(usual=task.other_keys.get(each.act, each.usual)) for each in COMMON)


def task_keys(task: type[TaskType] | TaskType) -> tuple[Key, ...]:
    """Return the keys of this task alone."""
    plain = (Key(each.value, each.key, to_the_button(each.label)) for each in task.plain_answers)
    return (*task.keys, *plain)


def to_the_button(label: str) -> str:
    """Return what a key does that presses the button with this label, in the reader's language."""
    return _("to the button “{label}”").format(label=_(label))


def every_key(task: type[TaskType] | TaskType) -> tuple[Key, ...]:
    """Return all keys on the pages of this task."""
    return (*common_keys(task), *task_keys(task))


def groups() -> list[tuple[str, tuple[Key, ...]]]:
    """Return every key under the name of the first task it belongs to; before them those of all tasks.

    All in the reader's language.
    """
    found: list[tuple[str, tuple[Key, ...]]] = [(_("In every task"), tuple(map(with_others, COMMON)))]
    known = {each.act for each in COMMON}
    for task in registry.all_types().values():
        own = tuple(translated(each) for each in task_keys(task) if each.act not in known)
        known |= {each.act for each in own}
        found += [(_(task.label), own)] if own else []
    return found


def with_others(key: Key) -> Key:
    """Return a key of every task; its label says where another one is usual."""
    there: dict[str, list[str]] = {}
    for task in registry.all_types().values():
        if key.act in task.other_keys:
            there.setdefault(task.other_keys[key.act].upper(), []).append(
                _("“{name}”").format(name=_(task.label))
            )
    shown = key.in_words()
    for other, labels in there.items():
        said = _("{act}; {key} in {tasks}")
        shown = said.format(act=shown, key=other, tasks=wording.listed(labels))
    return key._replace(label=shown)


def translated(key: Key) -> Key:
    """Return a key with its label in the reader's language."""
    return key._replace(label=key.in_words())


def mapping(task: TaskType, chosen: Mapping[str, Any]) -> dict[str, str]:
    """Return the key of each act of one task, as this reader has them.

    A usual key that the reader gave to another act of the task is nobody’s here: an act may be newer than
    their choice.
    """
    acts = every_key(task)
    own = {each.act: str(chosen[each.act]) for each in acts if each.act in chosen}
    return {each.act: "" if each.usual in own.values() else each.usual for each in acts} | own


def checked(chosen: Mapping[str, str], before: Mapping[str, Any] | None = None) -> dict[str, str]:
    """Return the keys that differ from the usual ones. Raises `Invalid`: no single character, or one key
    twice.

    A key may do two things in two tasks, never in one. Two acts that came onto one key without their
    reader, since a task type is newer than what they chose (`before`), are no reason to refuse: `mapping`
    leaves the key to the act they chose it for.
    """
    known = {each.act: each for _, keys in groups() for each in keys}
    own = {}
    for act, key in chosen.items():
        key = key.strip().casefold()
        if act not in known or len(key) != 1 or not key.isprintable() or key.isspace():
            field = known[act].label if act in known else act
            said = _("“{act}” needs one letter, digit or sign, not “{key}”.")
            raise Invalid(said.format(act=field, key=key[:20]), act)
        if key != known[act].usual:
            own[act] = key
    for task in registry.all_types().values():
        check_apart(every_key(task), own, before or {})
    return own


def check_apart(keys: tuple[Key, ...], own: Mapping[str, str], before: Mapping[str, Any]) -> None:
    """Raise `Invalid` where one key would do two things in the same task, and did not before."""
    taken: dict[str, Key] = {}
    for each in keys:
        key = own.get(each.act, each.usual)
        other = taken.setdefault(key, each)
        if other is not each and any(own.get(act) != before.get(act) for act in (other.act, each.act)):
            said = _("The key {key} would do two things: “{one}” and “{other}”. Give one of them another.")
            one, two = translated(other).label, translated(each).label
            raise Invalid(said.format(key=key.upper(), one=one, other=two), each.act)
