"""What each command says, in its usual cases and of bad input, as kept in
``tests/golden``; refused, it writes nothing.

A line of a table is what is typed after the name of the command; `` ; `` separates
commands that follow one another.
"""

from __future__ import annotations

import shlex
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from solvers.devices import DeviceList
from solvers.errors import SchedulerUnreachable
from solvers.features.clusters.workers import WorkerStatus
from solvers.features.datasets.catalogue import DatasetStore
from solvers.features.datasets.commands import datasets as datasets_module
from solvers.features.experiments.spec_file import read_experiment
from solvers.features.kept_runs.store.rows import VERSION
from solvers.features.kept_runs.store.run_store import RunStore
from solvers.features.own_kernels.commands import check
from solvers.features.own_kernels.kernel_check import CheckReport, Deviation, Looks
from solvers.features.own_kernels.user_variants import base_of
from solvers.graphs.writers import write_dimacs
from solvers.running.compile_ahead import RehearsalRecord
from solvers.running.trials import Conditions
from solvers.system.downloads import Patience
from solvers.system.machine import CpuConditions
from tests import graphs
from tests.curved import curved_town
from tests.golden import Golden
from tests.https_server import Server
from tests.rehearsals import stand_in
from tests.solvers.fakes import FakeDevice
from tests.solvers.features.datasets.downloads import local_dataset
from tests.solvers.features.experiments.samples import TEXT as EXPERIMENT
from tests.solvers.features.experiments.samples import write_experiment
from tests.solvers.features.kept_runs.store.kept import kept_run_of, kept_variant_of
from tests.solvers.features.openstreetmap.town import PLACES, write_osm

LOADED = "diamond.gr --variants good --source 1 --trials 4"

SAID: dict[str, list[str]] = {
    "": ["", "solv", "--version"],
    "variants": ["", "--nope"],
    "devices": [""],
    "info": [
        "diamond.gr",
        "short.gr",
        "beyond.gr",
        "arcless.gr",
        "town.osm",
        "speeds.osm",
        "named.json",
        "none.gr",
        "empty.mtx",
        "nowhere.gr",
        "diamond.gr --largest-part",
        "diamond.gr --weights random:1",
        "diamond.gr --columns a,b",
        "",
    ],
    "solve": [
        *(
            f"diamond.gr --variants {options}"
            for options in (
                "good,other --source 1 --target 4 --trials 2 --warmup 1",
                "good,by-choice --source 1 --trials 2",
                "all-pairs --trials 1",
                "good --source 1 --target 5 --trials 1",
                "good --source 1 --target 4 --trials 1 --alternatives 2",
                "good --source 1 --target 5 --trials 1 --alternatives 2",
                "good --source 1 --alternatives 2",
                "good --source 1 --target 4 --alternatives 6",
                "good --source 1 --warmup 1",
                "good --source 1 --trials 3",
                "good --source 1 --most-trials 7",
                "good --source 1 --time-limit 2.5",
                *(
                    f"{failing},good --source 1 --trials 2 --warmup 1"
                    for failing in (
                        "wrong",
                        "broken",
                        "circling",
                        "exhausted",
                        "unallocated",
                        "cuda",
                    )
                ),
                "good,interrupting,other --source 1 --trials 2 --warmup 1",
                "cuda --source 1 --device cuda:7",
                "good --source 1 --trials 1 --device cuda:7",  # which good does not need
                "god --source 1",
                "good",
                "one-path --source 1",
                "good --source 6",
                "good --source one",
                ", --source 1",
                *(
                    f"good --source 1 {refused}"
                    for refused in (
                        "--trials 0",
                        "--trials -1",
                        "--trials x",
                        "--warmup -1",
                        "--time-limit 0",
                        "--most-trials 0",
                        "--set good.block=7",
                        "--set good.blok=7",
                        "--set other.x=7",
                        "--set nonsense",
                        "--device rocm",
                        "--precision 0",
                        "--precision much",
                        "--trails 3",
                        "--kernel-limit 0",
                        "--picture p.png",
                        "--picture p.jpg",
                        "--page p.html",
                        "--csv /dev/null",
                        "--csv diamond.gr/below",
                        "--distances d.xls",
                        "--distances diamond.gr/d.npy",
                    )
                ),
            )
        ),
        LOADED,
        "diamond.gr --source 1",
        "diamond.gr --triels 3",
        "diamond.gr --triels=3",
        "diamond.gr --tri 3",
        "town.osm --variants good --source 'N47.1 E9.5001' --target zurs --trials 1",
        *(
            f"town.gr --variants good --source 10 --target 40 --trials 1 {options}"
            for options in (
                "--path p.kml",
                "--path p.gpx",
                "--path none/p.csv",
                "--path p.csv --close 30-40",
                "--path p.geojson --distances d.csv",
            )
        ),
        "town.gr --variants good --source 10 --path p.csv",
        "town.gr --variants one-path --source 10 --target 40 --distances d.csv",
        "town.gr --variants all-pairs --distances d.csv",
        *(
            f"diamond.gr --variants {one} --source 1 --target 4 --trials 1 --distances d.npy"
            for one in ("wrong", "one-path")
        ),
        *(
            f"streets.gr --variants good --source 1 --trials 1 --target {options}"
            for options in (
                "4 --close 2-4",
                "4 --close 4:2 --slow 1-2=1.5",  # one direction
                "4 --close 1-3",  # beside the path
                "4 --slow 1-3=0.5 --slow 3-4=0.5 --close 1-2",  # another path as short
                "5 --close 4-5",  # the only way
                "4 --close 2-4 --differences d.csv --write-graph changed.gr",
                *(f"4 --close {road}" for road in ("1-99", "1-4", "1_2")),
                *(
                    f"4 --slow 1-2{factor}"
                    for factor in ("", "=fast", "=0", "=-3", "=nan", "=inf", "=1e300")
                ),
                "4 --differences d.csv",
            )
        ),
        "streets.gr --variants all-pairs --trials 1 --close 2-4",
        "streets.gr --variants one-path --source 1 --target 4 --close 2-4 --differences d.csv",
    ],
    "check": [
        "mine.cu --against bf-edge-flags",
        "mine.cu --against bf-edge-flags --write-graph small.gr",
        "bf-edge --against bf-edge-flags",
        "mine.cu --against bf-edge-flagz",
        "nowhere.cu --against bf-edge-flags",
        "mine.cu --against dijkstra-heap",
        "mine.cu",
    ],
    "exercises": [
        "",
        "3 --hint --start new.cu",
        "3 --start mine.cu",
        "nothing",
        "--class .",
        "--exercises-from nowhere",
    ],
    "all-sources": [
        "path.gr --reduce eccentricity",
        "path.gr --reduce reach --budget 3.5 --csv out.csv",
        *(f"path.gr --reduce histogram --bins {bins}" for bins in ("9:2", "2:2000", "2:2")),
        "path.gr --sources 16,13",
        "path.gr --resume state ; all-sources path.gr --resume state",
        *(
            f"path.gr {refused}"
            for refused in (
                "--reduce closness",
                "--reduce reach",
                "--reduce reach --budget -2",
                "--csv nowhere/out.csv",
                "--reduce histogram --bins ten",
                "--sources 5",
                "--sources nowhere",
                "--sources 99,",
                "--sources ''",
                "--flows flows.txt",
                "--flows flows.geojson",
                "--masses path.gr",
                "--budget 3",
                "--bins 3",
                "--rows-to rows.zarr",
                "--cluster local --targets 1",
                "--cluster local --device opencl",
                "--cluster nearby",
            )
        ),
    ],
    "hosts": [
        "",
        "--cluster tcp://10.0.0.9:8786",
        "--cluster ''",
        "--cluster nearby",
        "--cluster local:0",
        "--cluster tcp://host",
    ],
    "runs": [
        "",
        "list",
        "show aa1",
        "compare aa1 aa2",
        "export aa1 --csv out",
        "delete aa1 b7",
        "import trials.csv",
        "show aa",
        "show zz",
        "--json show aa1",
        "export aa1",
        "export aa1 --page p.html",
        "import diamond.gr",
        "import nowhere.csv",
        "list  # of an empty store",
        "delete aa1  # of a newer store",
    ],
    "convert": [
        "diamond.gr out.mtx",
        "town.osm out.graphml",
        "town.osm out.gr --turns costs",
        "short.gr out.edges",
        "diamond.gr out.png",
        "diamond.gr",
    ],
    "datasets": [
        "",
        "--get three",
        "--get three ; datasets ; datasets --remove three",
        "--get USA-road-d.NYC",
        "--get three  # from a server that fails",
    ],
    "experiments": ["", "--graphs nowhere"],
    "experiment": [
        "own.toml --dry-run",
        "own.toml --csv out",
        "own.toml ; experiment own.toml",
        "wide.toml",
        "misspelled.toml",
        "bodra-2025-fig-3",
        "missing.toml",
        "own.toml --pgfplots",
        *(
            f"bodra-2025-fig-2 {refused}"
            for refused in (
                "--graphs nowhere",
                "--trials -1",
                "--warmups -1",
                "--longest-trial 0",
            )
        ),
    ],
    "compile": ["--first-minute", " ; compile", "--step window", "--step nothing"],
    "generate": [
        "grid --rows 3 --columns 4 -o new.gr",
        "grid --rows few -o new.gr",
        "grid --rows 0 -o new.gr",
        "grid -o nowhere/grid.gr",
        "grid",
        "nothing -o new.gr",
        "",
    ],
    "demo": ["--out out", "--out diamond.gr"],
    "desktop-entry": ["", "--remove", " ; desktop-entry --remove", "  # on macOS"],
    "completion": ["", "tcsh"],
}

MADE_UP = {"variants", "solve", "demo"}  # the catalogue of these

FILES = {
    "beyond.gr": "p sp 3 2\na 1 9 4\na 9 2 0\n",
    "arcless.gr": "p sp 3 0\n",
    "short.gr": "p sp 3 5\na 1 2 7\na 2 3 4\n",
    "none.gr": "p sp 2 0\n",
    "empty.mtx": "",
    "named.json": '{"nodes": [{"id": "a"}, {"id": "b"}], '
    '"links": [{"source": "a", "target": "b", "weight": -4}]}',
    "trials.csv": "a,b\n1,2\n",
}


@pytest.fixture
def desk(tmp_path: Path, streets: Path, diamond_file: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which commands are typed, with the files that they name."""
    monkeypatch.chdir(tmp_path)
    write_dimacs(
        graphs.from_list(4, [(0, 1, 2), (1, 2, 3), (2, 3, 1)], directed=False), tmp_path / "path.gr"
    )
    write_dimacs(curved_town(), tmp_path / "town.gr")
    places = PLACES | {30: (9.5032, 47.1002)}
    write_osm(
        tmp_path / "town.osm", places=places, node_tags={30: {"place": "village", "name": "Zürs"}}
    )
    odd = {
        1: ((1, 2), {"highway": "residential", "maxspeed": "very fast"}),
        2: ((2, 3), {"highway": "primary"}),
    }
    write_osm(tmp_path / "speeds.osm", odd)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "mine.cu").write_text(base_of("bf-edge-flags")[1].read_text("utf-8"))
    unclaimed = EXPERIMENT.partition("[[claim]]")[0]
    for name, *change in (
        ("misspelled", ("dijkstra-heap", "dijkstra-hep")),
        ("wide", ("degree = 3", "seed = { from = 1, to = 200000, steps = 200000 }, degree = 3")),
        ("own",),
    ):
        write_experiment(tmp_path, *change, text=unclaimed).rename(tmp_path / f"{name}.toml")
    return tmp_path


# -- what stands in for machines, networks and earlier days
# ------------------------------------------------------------


def prepare_devices(monkeypatch: pytest.MonkeyPatch, *_: object) -> None:
    found = DeviceList((FakeDevice(),), ("OpenCL: no platform answered.",))
    monkeypatch.setattr("solvers.commands.devices.discover", lambda: found)


def prepare_variants(monkeypatch: pytest.MonkeyPatch, *_: object) -> None:
    monkeypatch.setattr(
        "solvers.commands.variants.discover", lambda: DeviceList((FakeDevice(),), ())
    )


def prepare_solve(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, typed: str
) -> None:
    conditions = Conditions(CpuConditions(2, load=1.9 if typed == LOADED else 0.0))
    monkeypatch.setattr(
        "solvers.running.trials.MachineSample.until", lambda before, after: conditions
    )


def prepare_all_sources(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, typed: str
) -> None:
    request.getfixturevalue("without_gpu")


def prepare_check(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, typed: str
) -> None:
    """The first check finds nothing, the other a graph of two arcs."""
    graph = graphs.from_list(3, [(0, 1, 2), (1, 2, 3)])
    got, expected = np.array([0.0, 2, np.inf]), np.array([0.0, 2, 5])
    found = Deviation(graph, 0, Looks.MISSING_PASS, np.array([2]), got, expected, 2, 2, 2, (1, 2))
    report = CheckReport(160, ("int32", "float64"), skipped=("int64",))
    if "--write-graph" in typed:
        report = CheckReport(7, ("int32",), found, (9, 20))
    monkeypatch.setattr(f"{check.__name__}.check", lambda *_, **__: report)
    monkeypatch.setattr(f"{check.__name__}.find_device", lambda *_: None)


def prepare_hosts(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, typed: str
) -> None:
    status = WorkerStatus(
        "tcp://10.0.0.1:4000",
        "node1",
        4242,
        2,
        ("NVIDIA H100",),
        200_000_000,
        8_000_000_000,
        1,
        12,
        3000,
        100.0,
        ("10:00:00 swept sources 0 to 255",),
        0.2,
        True,
    )
    silent = WorkerStatus(
        "tcp://10.0.0.2:4000", "node2", 17, 1, (), 0, 4_000_000_000, 0, 0, 0, 0.0, (), 60.0, False
    )

    def connected(options: object, progress: object) -> nullcontext[SimpleNamespace]:
        if "tcp" in typed:
            raise SchedulerUnreachable("tcp://10.0.0.9:8786", "nothing listens there")
        return nullcontext(SimpleNamespace(dashboard="http://10.0.0.1:8787/secret"))

    monkeypatch.setattr("solvers.features.clusters.commands.hosts.connected", connected)
    monkeypatch.setattr(
        "solvers.features.clusters.commands.hosts.look_at_hosts",
        lambda connection: (status, silent),
    )


def prepare_runs(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, typed: str
) -> None:
    if "empty" in typed:
        return
    store = RunStore()
    heap = kept_variant_of("dijkstra-heap", 2.0, 2.1, 2.0, 1.9, 2.2)
    faster = kept_variant_of("dijkstra-heap", 1.0, 1.1, 1.0, 0.9, 1.2, parameters={"arity": 2})
    store.add(
        [
            kept_run_of("aa1", heap, name="before"),
            kept_run_of("aa2", faster, kept_variant_of("bf-serial", 5.0), source=20),
            kept_run_of("b7", heap, ended_utc=""),
        ]
    )
    if "newer" in typed:
        with closing(sqlite3.connect(store.path)) as connection, connection:
            connection.execute(f"PRAGMA user_version = {VERSION + 1}")


def prepare_datasets(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, typed: str
) -> None:
    server: Server = request.getfixturevalue("server")
    store = DatasetStore(Path("cache"), Patience(silence_s=5, attempts=1, pause_s=0.01))
    monkeypatch.setattr(datasets_module, "DatasetStore", lambda: store)
    if typed == "--get USA-road-d.NYC":
        return
    wanted = local_dataset(server, published=False, **({"status": 503} if "fails" in typed else {}))
    monkeypatch.setattr(datasets_module, "datasets", lambda: (wanted,))
    monkeypatch.setattr(datasets_module, "dataset", lambda name: wanted)


def prepare_experiments(monkeypatch: pytest.MonkeyPatch, *_: object) -> None:
    monkeypatch.setattr(
        "solvers.features.experiments.commands.experiments.shipped",
        lambda: [read_experiment(Path("own.toml"))],
    )


def prepare_compile(monkeypatch: pytest.MonkeyPatch, *_: object) -> None:
    monkeypatch.setattr(
        "solvers.commands.compile.RehearsalRecord",
        lambda: RehearsalRecord(Path("record").absolute()),
    )
    stand_in(monkeypatch, Path.cwd())


def prepare_demo(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, typed: str
) -> None:
    prepare_solve(monkeypatch, request, typed)
    monkeypatch.setattr("solvers.commands.demo.VARIANTS", "good,other")
    monkeypatch.setattr("solvers.commands.demo.sample_road_network", lambda: Path("diamond.gr"))


def prepare_desktop_entry(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, typed: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(Path("share").absolute()))
    monkeypatch.setattr(sys, "platform", "darwin" if "macOS" in typed else "linux")


PREPARE: dict[str, Callable[[pytest.MonkeyPatch, pytest.FixtureRequest, str], None]] = {
    "devices": prepare_devices,
    "variants": prepare_variants,
    "solve": prepare_solve,
    "all-sources": prepare_all_sources,
    "check": prepare_check,
    "hosts": prepare_hosts,
    "runs": prepare_runs,
    "datasets": prepare_datasets,
    "experiments": prepare_experiments,
    "compile": prepare_compile,
    "demo": prepare_demo,
    "desktop-entry": prepare_desktop_entry,
}
CASES = [
    pytest.param(
        command,
        typed,
        marks=pytest.mark.openmp if command == "all-sources" else (),
        id=f"{command} {typed}".strip(),
    )
    for command, lines in SAID.items()
    for typed in lines
]


WARNING = "tautpath: warning: "  # what is told of a file, whether or not the command is refused


@pytest.mark.parametrize(("command", "typed"), CASES)
def test_what_a_command_says(
    command: str,
    typed: str,
    desk: Path,
    store: RunStore,
    tautpath: Callable[..., tuple[int, str, str]],
    golden: Golden,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    if command in MADE_UP:
        request.getfixturevalue("made_up_catalogue")
    if command in PREPARE:
        PREPARE[command](monkeypatch, request, typed)
    before, said, wrote = set(desk.iterdir()), [], set[Path]()
    for line in f"{command} {typed}".split(" ; "):
        status, out, err = tautpath(*shlex.split(line, comments=True))
        said.append(out + err + (f"exit status {status}\n" if status else ""))
        wrote |= {
            desk / words.removeprefix("wrote ")
            for words in out.splitlines()
            if words.startswith("wrote ")
        }
        refusals = [row for row in err.splitlines() if not row.startswith(WARNING)]
        assert status != 2 or (len(refusals) == 1 and len(refusals[0]) < 320)
    assert all(path.is_file() for path in wrote) or "remove" in typed
    beside = {desk / name for name in ("data", "cache", "state", "record", "main.py", "share")}
    assert (
        set(desk.iterdir()) - before - beside
        == {desk / path.relative_to(desk).parts[0] for path in wrote} - beside
    )
    golden.check(command or "tautpath", f"{command} {typed}".strip(), "".join(said), measured=True)


@pytest.mark.parametrize("command", SAID)
def test_all_that_is_kept_was_said(command: str, golden: Golden) -> None:
    golden.require_no_others(
        command or "tautpath", [f"{command} {typed}".strip() for typed in SAID[command]]
    )
