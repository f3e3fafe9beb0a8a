"""What a task type says of an item among the others of its study: its group, and what it is.

`TaskType` has these; most types leave them as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from common.translation import gettext_noop


class InStudy:
    """Where an item stands in its study, and what must not stand there twice.

    from_pools: whether items can be made of pools: their payload holds `topic` and `document` as
        `annotation.items.from_pool` makes them, and the fields that all items share.
    said_before, nothing_before: what readers are told of their earlier answers to items of one group, in
        English. Whole sentences: the word for a group changes what stands around it in other languages.
    """

    from_pools: ClassVar[bool] = False
    said_before: ClassVar[str] = gettext_noop("What you said before of this group")
    nothing_before: ClassVar[str] = gettext_noop(
        "Nothing yet: this is the first of its group that you answer."
    )

    def group(self, payload: Mapping[str, Any]) -> str:
        """Return the name of what the item is read together with, such as its topic; empty without any.

        Items of one group are given to a reader one after the other, and a new group is announced.
        """
        return ""

    def within_group(self, payload: Mapping[str, Any]) -> str:
        """Return what tells an item from the others of its group, for its readers; may be empty."""
        return ""

    def identity(self, payload: Mapping[str, Any]) -> str:
        """Return in words what a study holds once, however it is worded; empty where the words tell."""
        return ""

    @property
    def has_groups(self) -> bool:
        """Whether its items belong to groups that are read one after the other."""
        return type(self).group is not InStudy.group
