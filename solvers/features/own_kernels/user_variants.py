"""The user's own variants: from files and packages, and kernels changed in the program
or given to ``--kernel``.

Variants are found in the ``.py`` files of ``variants`` in the user's data folder and of
the folders that ``--variants-from`` names, and by the entry points
``tautpath.variants`` of installed packages. Kernels changed in the window are the files
``ID@NAME.cu`` of ``kernels`` in the data folder. Each runs in a process of its own. An
error in one is kept to be told (`problems`), and never keeps the program from starting.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import logging
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from solvers.core.variant import (
    RegistrySnapshot,
    Variant,
    find_variant,
    register,
    registered,
    unregister,
)
from solvers.devices.kernel import (
    KernelParameter,
    KernelText,
    declared_parameters,
    distance_defines,
    kernel_text,
)
from solvers.errors import (
    FileMissing,
    FileNotWritten,
    KernelMismatch,
    UnknownName,
    VariantFileError,
)
from solvers.features.own_kernels.user_code import UserCode, load_file, version_of
from solvers.graphs.weights import INT32
from solvers.system.disk_cache import DELETED_KEPT, data_folder
from solvers.system.files import reason_of, write_text, writing
from solvers.text import quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

log = logging.getLogger(__name__)

FOLDERS_VARIABLE = "TAUTPATH_VARIANTS"
ENTRY_POINTS = "tautpath.variants"
CHANGED = "changed"  # the name of a changed kernel that the user gave none
VERSION = "version"  # among the parameters of results
_MOST_TEXT = 1 << 20  # characters
_TEMPLATES = Path(__file__).with_name("templates")
_NAME = re.compile(r"[0-9A-Za-z_-]{1,40}")

_problems: dict[Path, VariantFileError] = {}


@dataclass(frozen=True, kw_only=True)
class UserVariant(Variant):
    """A variant of the user's own; its settled parameters hold the version of its text."""

    code: UserCode

    def settle(self, given: Mapping[str, object]) -> dict[str, Any]:
        settled = super().settle({name: value for name, value in given.items() if name != VERSION})
        return settled | {VERSION: self.code.version}

    @classmethod
    def of(cls, entry: Variant, code: UserCode, **changes: Any) -> UserVariant:
        """The variant that runs ``code`` in a process of its own, declared as ``entry``
        but for the changes.
        """
        from solvers.features.own_kernels.user_process import solve_in_process

        solve = partial(solve_in_process, code)
        return cls(**{**vars(entry), **changes, "function": solve, "code": code})

    @property
    def is_own(self) -> bool:
        return True

    @property
    def base_id(self) -> str:
        return self.code.variant_id


@dataclass(frozen=True)
class ChangedKernel:
    """A changed text of a variant's kernel."""

    base_id: str
    text: str
    name: str = CHANGED
    file: str = ""  # name by which the compiler and messages call it; "" for that of the original

    @property
    def id(self) -> str:
        return f"{self.base_id}@{self.name}"

    @property
    def path(self) -> Path:
        """Where the text is kept, in the user's data folder."""
        return data_folder() / "kernels" / f"{self.id}.cu"

    def kept(self) -> ChangedKernel:
        """This kernel with the text that is kept of it, if one is; raises VariantFileError."""
        return replace(self, text=text_of(self.path)) if self.path.is_file() else self

    def variant(self) -> UserVariant:
        """The variant with this kernel; raises UnknownName, and KernelMismatch as `check`."""
        base, kernel = base_of(self.base_id)
        self.check()
        code = UserCode(
            self.base_id,
            base.answers,
            base.module,
            self.file or kernel.name,
            kernel=str(kernel),
            text=self.text,
            version=version_of(self.text),
        )
        called = CHANGED if self.name == CHANGED else f"{CHANGED}: {self.name}"
        changes = {"id": self.id, "title": f"{base.title}, {called}", "racy": False}
        if base.short_title:
            changes["short_title"] = f"{base.short_title}, {called}"
        return UserVariant.of(base, code, **changes)

    def check(self) -> None:
        """Compare the entry points with those of the original; raises KernelMismatch."""
        _, kernel = base_of(self.base_id)
        name = self.file or kernel.name
        found = _entries(kernel, KernelText(name, self.text))
        for entry, wanted in _entries(kernel).items():
            if entry not in found:
                raise KernelMismatch(
                    name, entry, f"it has no entry point “{entry}”, which {self.base_id} launches"
                )
            if _types(found[entry]) != _types(wanted):
                has, needs = (
                    ", ".join(p.spelled for p in which) for which in (found[entry], wanted)
                )
                reason = (
                    f"“{entry}” takes ({quoted(has)}), but {self.base_id} passes ({quoted(needs)})"
                )
                raise KernelMismatch(name, entry, reason)

    def under_a_free_name(self) -> ChangedKernel:
        """The same text, by a name that no other text has."""
        for number in itertools.count(1):
            name = self.name if number == 1 else f"{self.name[:36]}-{number}"
            mine = replace(self, name=name)
            other = registered(mine.id)
            is_free = other is None or (
                isinstance(other, UserVariant) and other.code.text == self.text
            )
            if is_free and mine.kept().text == self.text:
                return mine
        raise AssertionError  # count() has no end

    def keep(self) -> None:
        """Write the text to the user's data folder; raises FileNotWritten."""
        write_text(self.path, self.text)

    def delete(self) -> DeletedKernel:
        """Remove the variant, and put its text aside, from where it can be restored for
        `DELETED_KEPT`; raises FileNotWritten.
        """
        aside = _deleted_folder() / f"{self.id}.{version_of(self.text)}.cu"
        write_text(aside, self.text)
        self.path.unlink(missing_ok=True)
        unregister(self.id)
        return DeletedKernel(self, aside, datetime.now(UTC))


@dataclass(frozen=True)
class DeletedKernel:
    """A changed kernel that can be restored."""

    kernel: ChangedKernel
    path: Path  # where its text lies until then
    deleted: datetime  # in UTC

    def restore(self) -> ChangedKernel:
        """Keep the kernel again, under another name if another text has its own by now;
        raises FileNotWritten.
        """
        kernel = self.kernel.under_a_free_name()
        kernel.keep()
        self.path.unlink(missing_ok=True)
        return kernel


def changed_from(spec: str) -> ChangedKernel:
    """The kernel of ``--kernel ID=FILE.cu``; its name is that of the file. Raises
    UnknownName, FileMissing.
    """
    base_id, equals, file = spec.partition("=")
    path = Path(file)
    if not equals or not file:
        raise UnknownName("changed kernel, of the form ID=FILE.cu,", spec, nearest=())
    base_of(base_id)
    return ChangedKernel(base_id, text_of(path), as_name(path.stem), path.name)


def kernel_of(variant_id: str, text: str) -> ChangedKernel:
    """The changed kernel ID@NAME with a text from elsewhere; raises UnknownName, also
    for a name that none can have.
    """
    base_id, _, name = variant_id.rpartition("@")
    if not _NAME.fullmatch(name) or len(text) > _MOST_TEXT:
        raise UnknownName("changed kernel, of the form ID@NAME,", variant_id, nearest=())
    base_of(base_id)
    return ChangedKernel(base_id, text, name)


def text_of(path: Path, failure: type[VariantFileError] = VariantFileError) -> str:
    """The text of a user's file; raises FileMissing, and ``failure`` if it cannot be
    read or is not text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileMissing(path) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "it is not text in UTF-8"
        raise failure(path, reason) from None


def base_of(variant_id: str) -> tuple[Variant, Path]:
    """A variant and the file of its kernel; raises UnknownName, also for variants
    without a kernel.
    """
    base = find_variant(variant_id)
    spec = (
        importlib.util.find_spec(base.module)
        if base.kernel and not isinstance(base, UserVariant)
        else None
    )
    if spec is None or spec.origin is None:
        raise UnknownName("kernel to change in", variant_id, nearest=())
    return base, Path(spec.origin).with_name(base.kernel)


def _entries(
    kernel: Path, changed: KernelText | None = None
) -> dict[str, tuple[KernelParameter, ...]]:
    return declared_parameters(kernel_text(kernel, changed), distance_defines(INT32))


def _types(parameters: tuple[KernelParameter, ...]) -> list[tuple[Any, bool]]:
    return [(parameter.dtype, parameter.is_pointer) for parameter in parameters]


def as_name(stem: str) -> str:
    """What a changed kernel that the user calls so is called."""
    return re.sub(r"[^0-9A-Za-z_-]", "-", stem.lower())[:40] or CHANGED


def kept_kernels() -> list[ChangedKernel]:
    """The changed kernels in the user's data folder; those that cannot be read are left
    out, and told.
    """
    found = []
    for path in sorted((data_folder() / "kernels").glob("*@*.cu")):
        base_id, _, name = path.stem.rpartition("@")
        try:
            if not _NAME.fullmatch(name):
                raise VariantFileError(path, "its name is not of the form ID@NAME.cu")
            found.append(ChangedKernel(base_id, text_of(path), name))
        except (VariantFileError, FileMissing) as error:
            _tell(path, error)
    return found


def deleted_kernels() -> list[DeletedKernel]:
    """The changed kernels that can be restored, those deleted last first; those deleted
    over `DELETED_KEPT` ago are removed. Those that cannot be read are left out.
    """
    found = []
    for path in _deleted_folder().glob("*@*.*.cu"):
        name = path.stem.rpartition(".")[0]
        try:
            deleted = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            if datetime.now(UTC) - deleted > DELETED_KEPT:
                path.unlink()
            else:
                found.append(DeletedKernel(kernel_of(name, text_of(path)), path, deleted))
        except (OSError, VariantFileError, FileMissing, UnknownName) as error:
            log.info("a deleted kernel cannot be restored: %s", type(error).__name__)
    return sorted(found, key=lambda one: one.deleted, reverse=True)


def _deleted_folder() -> Path:
    return data_folder() / "kernels" / "deleted"


def problems() -> tuple[VariantFileError, ...]:
    """What kept files and packages from being used."""
    return tuple(_problems.values())


def variants_folder() -> Path:
    return data_folder() / "variants"


def folders() -> tuple[Path, ...]:
    """The folders with the user's variants, without the one that does not exist yet."""
    named = os.environ.get(FOLDERS_VARIABLE, "")
    all_of_them = [variants_folder(), *(Path(name) for name in named.split(os.pathsep) if name)]
    return tuple(dict.fromkeys(folder.resolve() for folder in all_of_them if folder.is_dir()))


def add_folder(folder: str) -> None:
    """Find variants in another folder, in this process and those that it starts; raises
    FileMissing.
    """
    if not Path(folder).is_dir():
        raise FileMissing(Path(folder))
    named = os.environ.get(FOLDERS_VARIABLE, "")
    if folder not in named.split(os.pathsep):
        os.environ[FOLDERS_VARIABLE] = os.pathsep.join(
            filter(None, (named, str(Path(folder).resolve())))
        )


def add_variants() -> None:
    """Register all variants of the user; called once, and again when files were saved.
    Raises nothing.
    """
    _problems.clear()
    for folder in folders():
        for path in sorted(folder.glob("*.py")):
            _add_file(path)
    for point in _entry_points():
        _add_package(point)
    for kernel in kept_kernels():
        try:
            register(kernel.variant())
        except (UnknownName, KernelMismatch) as error:
            _tell(kernel.path, error)


def _add_file(path: Path) -> None:
    added, process = RegistrySnapshot(), os.getpid()
    try:
        module = load_file(path)
        texts = [
            text_of(path),
            *(text_of(path.with_name(entry.kernel)) for entry in added.entries if entry.kernel),
        ]
    except BaseException as error:  # whatever it raises, the program starts
        added.withdraw()
        _tell(path, RuntimeError("it ends the program") if isinstance(error, SystemExit) else error)
        return
    finally:
        if os.getpid() != process:  # it forked: one program starts, not two
            os._exit(1)
    if not added.entries:
        _tell(path, RuntimeError("it declares no variant"))
    for entry in added.entries:
        code = UserCode(
            entry.id,
            entry.answers,
            module.__name__,
            path.name,
            file=str(path),
            version=version_of(*texts),
        )
        register(UserVariant.of(entry, code))


def _entry_points() -> Iterable[EntryPoint]:
    """Those of installed packages that have variants."""
    if not any(map(_may_name_variants, sys.path)):
        return ()
    from importlib import metadata  # it imports much, and reads of every package

    return metadata.entry_points(group=ENTRY_POINTS)


def _may_name_variants(place: str) -> bool:
    """Whether a package of this entry of Python's path has variants; or may have, in an archive
    or a list that cannot be read.
    """
    folder = Path(place)
    if folder.is_file():
        return True
    lists = folder.glob("*-[iI][nN][fF][oO]/entry_points.txt")  # EGG-INFO, too
    try:
        return any(ENTRY_POINTS.encode() in found.read_bytes() for found in lists)
    except OSError:
        return True


def _add_package(point: EntryPoint) -> None:
    added = RegistrySnapshot()
    try:
        importlib.import_module(point.module)
    except BaseException as error:
        added.withdraw()
        _tell(Path(point.name), error)
        return
    for entry in added.entries:
        version = "" if point.dist is None else point.dist.version
        code = UserCode(entry.id, entry.answers, entry.module, point.name, version=version)
        register(UserVariant.of(entry, code))


def _tell(path: Path, error: BaseException) -> None:
    """Keep an error; of one in the file's text with its line."""
    reason = str(error).rstrip(".") or type(error).__name__
    trace = error.__traceback__
    lines = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    line = lines[-1] if lines else None
    if isinstance(error, SyntaxError):
        line = error.lineno
    where = "" if line is None else f"line {line}: "
    kind = (
        ""
        if isinstance(error, VariantFileError | KernelMismatch | UnknownName)
        else f"{type(error).__name__}: "
    )
    log.info("variants of a file are left out: %s", type(error).__name__)
    _problems[path] = VariantFileError(path, where + kind + reason)


def new_variant(
    name: str, folder: Path | None = None, *, with_numba: bool = False
) -> tuple[Path, ...]:
    """Write a ``.py`` and a ``.cu`` from the template, or a ``.py`` with numba; raises
    FileNotWritten, also for those that exist.
    """
    stem = re.sub(r"[^0-9a-z_]", "_", name.lower()).strip("_") or "mine"
    place = variants_folder() if folder is None else folder
    endings = (
        {".py": "variant_numba.py.txt"}
        if with_numba
        else {".py": "variant.py.txt", ".cu": "variant.cu.txt"}
    )
    paths = tuple(place / f"{stem}{ending}" for ending in endings)
    for path in paths:
        if path.exists():
            raise FileNotWritten(path, "there is a file of that name")
    if registered(stem.replace("_", "-")) is not None:
        raise FileNotWritten(paths[0], "there is a variant of that name")
    with writing(place):
        place.mkdir(parents=True, exist_ok=True)
        for path in paths:
            text = (_TEMPLATES / endings[path.suffix]).read_text(encoding="utf-8")
            path.write_text(
                text.replace("@STEM@", stem).replace("@ID@", stem.replace("_", "-")),
                encoding="utf-8",
            )
    return paths
