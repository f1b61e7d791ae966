"""What a user's own code is: a module with a variant, and perhaps a changed kernel."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from solvers.core.variant import Answers, RegistrySnapshot, Variant, registered
from solvers.devices.kernel import KernelText, replaced_texts
from solvers.errors import UserCodeFailed

# of clang, as OpenCL compilers are, and of NVRTC
_REMARK = re.compile(
    r"^(?P<file>[^:(\n"
    r"]+)[:(](?P<line>\d+)(?::\d+)?\)?: (?:fatal )?(?P<kind>error|warning)[^:]*: "
    r"(?P<words>.+)$",
    re.M,
)


@dataclass(frozen=True)
class UserCode:
    """The code of one variant, as the process loads it: a module, and perhaps a text in
    place of its kernel's.
    """

    variant_id: str  # of the variant in that module
    answers: Answers  # what this program expects of it
    module: str
    name: str  # of the user's file, for messages
    file: str = ""  # of the module, where it is not in a package
    kernel: str = ""  # the kernel file that ``text`` replaces; "" for none
    text: str = ""
    version: str = ""  # hash of the user's text

    def load(self) -> Variant:
        """The variant as its module declares it, with the kernel replaced in this process."""
        if self.kernel:
            replaced_texts[Path(self.kernel)] = KernelText(self.name, self.text)
        if registered(self.variant_id) is None:
            load_file(Path(self.file)) if self.file else importlib.import_module(self.module)
        found = registered(self.variant_id)
        if found is None:
            raise UserCodeFailed(
                self.name, f"it does not declare the variant {self.variant_id} any longer"
            )
        return found


@dataclass(frozen=True)
class Remark:
    """What a compiler says of a line, counted from 1."""

    line: int
    is_error: bool
    words: str


def remarks_in(log: str, file: str) -> tuple[Remark, ...]:
    """What a compiler's log says of the lines of a file."""
    found = (m for m in _REMARK.finditer(log) if m["file"].strip() == file)
    return tuple(Remark(int(m["line"]), m["kind"] == "error", m["words"]) for m in found)


def version_of(*texts: str) -> str:
    """Eight hexadecimal digits by which versions of a text are told apart."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


def load_file(path: Path) -> ModuleType:
    """Import a Python file that is in no package, under a name of its own; raises
    whatever it raises.
    """
    name = f"tautpath_own_{re.sub(r'[^0-9A-Za-z_]', '_', path.stem)}_{version_of(str(path))}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None  # it is a .py file
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    added = RegistrySnapshot()
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        added.withdraw()
        del sys.modules[name]
        raise
    return module
