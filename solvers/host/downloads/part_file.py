"""The part of a file that has arrived, kept beside the place of the whole file until that is complete."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from solvers.host.byte_lock import MOST_PLACE, try_lock
from solvers.host.cache_folder import make_way
from solvers.host.files import read_regular

_MOST_ORIGIN = 1 << 16

_in_use: set[Path] = set()  # by this process, which its own locks do not keep out


class InUse(Exception):
    """Another download, perhaps of another program, writes the same file."""


@dataclass(frozen=True)
class Origin:
    """What must be unchanged for a part to be continued.

    Attributes
    ----------
    url : str
    validator : str
        As `Head.validator`.
    """

    url: str
    validator: str


class PartFile:
    """``NAME.part``, with ``NAME.part.json`` that tells where it came from.

    Parameters
    ----------
    target : Path
        Place of the whole file.
    """

    def __init__(self, target: Path):
        self.path = target.with_name(f"{target.name}.part")
        self._origin_path = target.with_name(f"{target.name}.part.json")

    @property
    def size(self) -> int:
        """Bytes that have arrived."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    @property
    def origin(self) -> Origin | None:
        """Where it came from; None if there is no part, or it cannot be continued."""
        try:
            origin = Origin(**json.loads(read_regular(self._origin_path, _MOST_ORIGIN)))
        except (OSError, ValueError, TypeError):
            return None
        return origin if origin.validator and self.size else None

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The file, open for appending, for this download only; raises `InUse` if there is another, and OSError."""
        if self.path in _in_use:
            raise InUse
        _in_use.add(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            make_way(self.path)
            with self.path.open("ab") as file:
                if not try_lock(file.fileno(), MOST_PLACE):
                    raise InUse
                yield file
        finally:
            _in_use.discard(self.path)

    def begin(self, file: BinaryIO, origin: Origin) -> None:
        """Empty the file, which will come from ``origin``."""
        file.seek(0)
        file.truncate()
        make_way(self._origin_path)
        self._origin_path.write_text(json.dumps(asdict(origin)), "utf-8")

    def complete_as(self, place: Path) -> None:
        """Move the file to ``place``."""
        os.replace(self.path, place)
        self.remove()

    def remove(self) -> None:
        """Remove what has arrived."""
        for path in (self.path, self._origin_path):
            with suppress(OSError):
                path.unlink(missing_ok=True)
