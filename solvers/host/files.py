"""Writing files so that nothing is ever lost: beside the old one, then renamed into its place."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from solvers.errors import FileNotWritten


@contextmanager
def replace_atomically(path: Path | str) -> Iterator[Path]:
    """Give a path to write to; what stands there when the block ends becomes ``path``, whole, in one step.

    Where the block raises, the new file is removed and an older ``path`` stays as it was. The temporary name ends as
    ``path`` ends, so that what looks at the suffix (compression, image formats) does the right thing. A link is
    followed; a pipe or device, which cannot be replaced, is written to directly.

    Parameters
    ----------
    path : Path or str

    Raises
    ------
    FileNotWritten
        Where the system refuses: no such folder, no permission, disk full.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        yield target
        return
    beside = target.with_name(f".{uuid.uuid4().hex[:8]}-{target.name}")
    try:
        if target.is_dir():
            raise IsADirectoryError("it is a folder")
        yield beside
        os.replace(beside, target)
    except OSError as error:
        raise FileNotWritten(path, error.strerror or str(error)) from error
    finally:
        beside.unlink(missing_ok=True)


def require_file_place(path: Path | str) -> None:
    """Refuse, before an hour's work is done for it, a file that could not be written at its end.

    Raises
    ------
    FileNotWritten
        Where ``path`` is a folder, or its folder is missing or closed to us.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileNotWritten(path, "it is a folder")
    if not target.parent.is_dir():
        raise FileNotWritten(path, f"there is no folder {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise FileNotWritten(path, f"no permission to write in {target.parent}")


def require_folder_place(path: Path | str) -> None:
    """Refuse a folder for files that could neither be used nor made.

    Raises
    ------
    FileNotWritten
    """
    target = Path(os.path.realpath(path))
    nearest = next(place for place in (target, *target.parents) if place.exists())
    if not nearest.is_dir():
        raise FileNotWritten(path, f"{nearest} is no folder")
    if not os.access(nearest, os.W_OK):
        raise FileNotWritten(path, f"no permission to write in {nearest}")
