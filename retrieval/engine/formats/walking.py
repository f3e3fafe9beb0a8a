"""A tree walked once, its text handed to a builder; what each element means is the format's."""

from abc import ABC, abstractmethod

from lxml import etree

from retrieval.engine.formats.blocks import Block, Builder
from retrieval.engine.formats.trees import Element, local


class Walker(ABC):
    """Reads the blocks of a tree. A format says what to do where an element begins and ends."""

    def __init__(self) -> None:
        self.builder = Builder()
        self._context: list[str] = []

    def blocks(self, root: Element) -> list[Block]:
        """Walk the tree, without recursion, and return its paragraphs in order."""
        walk = etree.iterwalk(root, events=("start", "end"))
        skipped = None
        for event, element in walk:
            name = local(element)
            if event == "start":
                if self.start(name, element):
                    self.builder.text(element.text)
                else:
                    skipped = element
                    walk.skip_subtree()
                continue
            if element is skipped:
                skipped = None
            else:
                self.end(name, element)
            if element is not root:
                self.builder.text(element.tail)
        self.builder.close()
        return self.builder.blocks

    @abstractmethod
    def start(self, name: str, element: Element) -> bool:
        """Act where an element begins; False leaves it out with all that is in it."""

    @abstractmethod
    def end(self, name: str, element: Element) -> None:
        """Act where an element ends that was not left out."""

    def close(self, kind: str = "") -> None:
        """End the paragraph; within a part of the book that is set aside it is of the part's kind."""
        self.builder.close(self._context[-1] if self._context else kind)

    def enter(self, kind: str) -> None:
        """Begin a part of the book all of which is of one kind."""
        self.close()
        self._context.append(kind)

    def leave(self) -> None:
        """End the part that began last."""
        self.close()
        self._context.pop()
