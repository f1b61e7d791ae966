"""Put machine code into a wheel: ``python .ci/platform_wheel.py dist/tautpath-….whl [EARLIER]``.

The wheel is unpacked, its functions are compiled by rehearsing the first minutes of use
for the processor family of this machine, and the wheel is packed again with numba's cache
files, for this version of Python and this platform. The wheel without machine code
remains, for all others. ``EARLIER`` is a wheel that was made so before: what still fits
its source is taken from it.

On Linux the wheel is a manylinux wheel. auditwheel has nothing to audit in it: machine
code lies in numba's files, and numba binds it, by name, when it loads it. So the names
are looked at here: each is Python's, numba's, ours, or one that the C library of that
manylinux has. (Linked on a newer Debian, hypot and exp2 would be bound to the versions of
glibc 2.35 and 2.29, which nothing here needs.)
"""

from __future__ import annotations

import io
import os
import pickletools
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parents[1]
CODE = "solvers/machine_code/"
GLIBC = (2, 28)  # of AlmaLinux 8, which manylinux_2_28 stands for
C_LIBRARIES = ("libc.so.6", "libm.so.6")
# what Python, numba's helpers, its thread pools and solvers.system.threads define
DEFINED = re.compile(
    "_?Py[A-Z_]|NRT_|numba_|tautpath_"
    "|(get|set|do|allocate|deallocate)_(num_threads|thread_id|parallel_chunksize|sched|scheduling)"
)


def main() -> None:
    wheel, earlier = Path(sys.argv[1]).resolve(), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        run("wheel", "unpack", wheel, "--dest", folder)
        (unpacked,) = Path(folder).iterdir()
        for made in earlier:
            take_code(Path(made), unpacked)
        compile_all(unpacked)
        count, size = collect(unpacked)
        print(f"{count} files of machine code, {size / 1e6:.1f} MB")
        packed = Path(folder) / "packed"
        packed.mkdir()
        run("wheel", "pack", unpacked, "--dest-dir", packed)
        (result,) = packed.iterdir()
        version = f"cp{sys.version_info.major}{sys.version_info.minor}"
        tags = ("--python-tag", version, "--abi-tag", version, "--platform-tag", tag(unpacked))
        run("wheel", "tags", "--remove", *tags, result)
        (tagged,) = packed.iterdir()
        shutil.move(tagged, wheel.parent / tagged.name)
        print(wheel.parent / tagged.name)


def take_code(wheel: Path, unpacked: Path) -> None:
    """Put the machine code of an earlier wheel where numba keeps it beside sources."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.startswith(CODE) and not name.endswith("/"):
                place = unpacked / name.removeprefix(CODE)
                target = place.parent / "__pycache__" / place.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))


def compile_all(unpacked: Path) -> None:
    """Compile into the cache folders beside the sources."""
    sys.path.insert(0, str(ROOT))
    from solvers.system.numba_private import SHARED_VARIABLE
    from solvers.system.packaged_code import NATIVE_VARIABLE, family_of_machine

    with tempfile.TemporaryDirectory() as data:
        environment = os.environ | family_of_machine().settings()
        environment |= {
            NATIVE_VARIABLE: "1",
            "PYTHONPATH": str(unpacked),
            "TAUTPATH_DATA": data,
            "QT_QPA_PLATFORM": "offscreen",
        }
        for elsewhere in ("NUMBA_CACHE_DIR", SHARED_VARIABLE):
            environment.pop(elsewhere, None)
        program = (sys.executable, str(unpacked / "main.py"), "compile")
        subprocess.run(program, cwd=data, env=environment, check=True)


def collect(unpacked: Path) -> tuple[int, int]:
    """Move the cache files to the folder of packaged code; their number and bytes."""
    target = unpacked / CODE
    found = [path for kind in ("nbi", "nbc") for path in unpacked.rglob(f"__pycache__/*.{kind}")]
    size = sum(path.stat().st_size for path in found)
    for path in found:
        folder = target / path.parent.parent.relative_to(unpacked)
        folder.mkdir(parents=True, exist_ok=True)
        path.rename(folder / path.name)
    for cache in list(unpacked.rglob("__pycache__")):
        shutil.rmtree(cache)
    return len(found), size


def tag(unpacked: Path) -> str:
    """The platform of the wheel; ends the program if a name that the code needs is unknown."""
    if not sys.platform.startswith("linux"):
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    known = names_of_glibc()
    lacking = sorted(
        name
        for name in needed_names(unpacked / CODE)
        if not DEFINED.match(name) and known.get(name, (99,)) > GLIBC
    )
    if lacking:
        raise SystemExit(f"Not in glibc {GLIBC[0]}.{GLIBC[1]}: {', '.join(lacking)}")
    return f"manylinux_{GLIBC[0]}_{GLIBC[1]}_{platform.machine()}"


def needed_names(folder: Path) -> set[str]:
    """What the machine code of all files asks others for."""
    found = set()
    for path in folder.rglob("*.nbc"):
        for object_file in objects_in(path.read_bytes()):
            table = ELFFile(io.BytesIO(object_file)).get_section_by_name(".symtab")
            for symbol in table.iter_symbols():
                if symbol.entry.st_shndx == "SHN_UNDEF" and symbol.name:
                    found.add(symbol.name)
    return found


def objects_in(pickled: bytes) -> Iterator[bytes]:
    """The object files in a pickle, which may lie in a pickle within it."""
    for _, value, _ in pickletools.genops(pickled):
        if isinstance(value, bytes) and value.startswith(b"\x7fELF"):
            yield value
        elif isinstance(value, bytes) and b"\x7fELF" in value:
            yield from objects_in(value)


def names_of_glibc() -> dict[str, tuple[int, ...]]:
    """The first version of each name in the C library of this machine."""
    found: dict[str, tuple[int, ...]] = {}
    for library in C_LIBRARIES:
        with open(path_of(library), "rb") as file:
            elf = ELFFile(file)
            definitions = elf.get_section_by_name(".gnu.version_d")
            versions = {
                one["vd_ndx"]: next(names).name for one, names in definitions.iter_versions()
            }
            marks = elf.get_section_by_name(".gnu.version")
            for i, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
                mark = marks.get_symbol(i)["ndx"]
                if symbol.entry.st_shndx == "SHN_UNDEF" or not isinstance(mark, int):
                    continue
                words = versions.get(mark & 0x7FFF, "").removeprefix("GLIBC_").split(".")
                if all(map(str.isdecimal, words)):
                    version = tuple(map(int, words))
                    found[symbol.name] = min(version, found.get(symbol.name, version))
    return found


def path_of(library: str) -> str:
    """Where this process has a library."""
    lines = Path("/proc/self/maps").read_text("utf-8").splitlines()
    return next(line.split()[-1] for line in lines if line.endswith(f"/{library}"))


def run(module: str, *arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, arguments)], check=True)


if __name__ == "__main__":
    main()
