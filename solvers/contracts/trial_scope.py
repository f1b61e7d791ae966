"""What a variant keeps from its first trial to its last, and on to the traced run: processes that wait for work."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from types import TracebackType
from typing import Protocol, TypeVar, cast


class Kept(Protocol):
    """Something that outlasts a trial."""

    @property
    def is_usable(self) -> bool:
        """Whether the next trial can use it."""
        ...

    def close(self) -> None:
        """End it."""
        ...


AnyKept = TypeVar("AnyKept", bound=Kept)


class TrialScope:
    """Keeps things between the trials of one variant in one run; closes them at the end of the ``with`` block.

    It belongs to the thread that runs the variant.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, Kept] = {}

    def __enter__(self) -> TrialScope:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for key in list(self._kept):
            self.drop(key)

    def keep(self, key: Hashable, make: Callable[[], AnyKept]) -> AnyKept:
        """What is kept under a key; made at the first call, and again where it has become unusable."""
        if key in self._kept and not self._kept[key].is_usable:
            self.drop(key)
        if key not in self._kept:
            self._kept[key] = make()
        return cast(AnyKept, self._kept[key])

    def drop(self, key: Hashable) -> None:
        """Close what is kept under a key, before the end of the scope."""
        self._kept.pop(key).close()
