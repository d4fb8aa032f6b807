"""Depths of lists in markup whose items are lines."""

from __future__ import annotations

from collections.abc import Hashable


class Depths:
    """Which depth an item has, by its indentation or its mark."""

    def __init__(self) -> None:
        self._open: list[Hashable] = []

    def of(self, place: int) -> int:
        """Return the depth, from 1, of an item that is indented by `place` characters."""
        while self._open and isinstance(self._open[-1], int) and self._open[-1] > place:
            self._open.pop()
        if not self._open or self._open[-1] != place:
            self._open.append(place)
        return len(self._open)

    def of_mark(self, mark: str) -> int:
        """Return the depth, from 1, of an item with a mark; a new mark is one deeper."""
        if mark in self._open:
            del self._open[self._open.index(mark) + 1 :]
        else:
            self._open.append(mark)
        return len(self._open)

    def holds(self, indent: int) -> bool:
        """Whether a line indented by `indent` still belongs to an item that is open."""
        while self._open and isinstance(self._open[-1], int) and self._open[-1] >= indent:
            self._open.pop()
        return bool(self._open)

    def clear(self) -> None:
        """End all lists."""
        self._open.clear()
