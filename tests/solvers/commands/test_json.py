"""``--json``: the outputs of all commands fit the schema that the site publishes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from solvers.features.clusters.workers import WorkerStatus

_FILE = Path(__file__).resolve().parents[3] / "resources/docs/pages/reference/output.schema.json"
SCHEMA = json.loads(_FILE.read_text(encoding="utf-8"))
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
GRAPH = "p sp 5 4\na 1 2 5\na 2 3 2\na 1 3 9\na 3 4 1\n"  # 5 cannot be reached


def faults(value: Any, schema: dict[str, Any], where: str = "") -> Iterator[str]:
    """Where a value differs from a schema; of JSON Schema's keywords those that the
    published one has.
    """
    assert set(schema) <= {"$ref", "type", "enum", "properties", "required", "items", "description"}
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    kinds = schema.get("type", list(TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(
        isinstance(value, TYPES[k]) and (k == "boolean" or not isinstance(value, bool))
        for k in kinds
    ):
        yield f"{where} is {value!r}, not {kinds}"
    if value not in schema.get("enum", [value]):
        yield f"{where} is {value!r}"
    if isinstance(value, dict) and "properties" in schema:
        if set(value) != set(schema["properties"]):
            yield f"{where} has {set(value) ^ set(schema['properties'])} or lacks them"
        for name in set(value) & set(schema["properties"]):
            yield from faults(value[name], schema["properties"][name], f"{where}.{name}")
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{where}[{place}]")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (
            (
                "solve",
                "GRAPH",
                "--variants",
                "dijkstra-heap",
                "--source",
                "1",
                "--target",
                "4",
                "--trials",
                "6",
            ),
            9,
        ),
        (
            (
                "solve",
                "GRAPH",
                "--variants",
                "dijkstra-heap,auto",
                "--source",
                "1",
                "--target",
                "5",
                "--no-keep",
            ),
            9,
        ),
        (
            (
                "solve",
                "GRAPH",
                "--variants",
                "dijkstra-heap",
                "--source",
                "1",
                "--target",
                "4",
                "--alternatives",
                "2",
                "--no-keep",
            ),
            9,
        ),
        (("all-sources", "GRAPH", "--reduce", "eccentricity,closeness,histogram"), 21),
        (("info", "GRAPH"), 20),
        (("devices",), 0),
        (("variants",), 50),
        (("runs",), 1),
        (("datasets",), 10),
        (("experiments",), 10),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_outputs_fit_the_published_schema(
    words: tuple[str, ...],
    count: int,
    tautpath: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
) -> None:
    path = tmp_path / "graph.gr"
    path.write_text(GRAPH)
    if words == ("runs",):
        tautpath("solve", path, "--variants", "dijkstra-heap", "--source", "1", "--trials", "1")

    status, out, _ = tautpath(*(path if word == "GRAPH" else word for word in words), "--json")
    found = json.loads(out, parse_constant=pytest.fail)  # NaN and Infinity are not JSON

    assert (status, list(faults(found, SCHEMA["$defs"][words[0]]))) == (0, [])
    assert len(found) >= count


def test_workers_of_a_cluster_fit_it_too() -> None:
    assert list(SCHEMA["$defs"]["hosts"]["items"]["properties"]) == [
        field.name for field in fields(WorkerStatus)
    ]


def test_a_difference_from_the_schema_is_found() -> None:
    assert list(faults({"key": 1}, SCHEMA["$defs"]["devices"]["items"]))
    assert list(faults([True], {"items": {"type": "integer"}}))


def test_an_answer_for_programs_is_alone_on_stdout(
    tautpath: Callable[..., tuple[int, str, str]], tmp_path
) -> None:
    path = tmp_path / "graph.gr"
    path.write_text(GRAPH)
    options = (
        "--variants",
        "dijkstra-heap",
        "--source",
        "1",
        "--target",
        "4",
        "--distances",
        tmp_path / "d.npy",
    )
    _, out, err = tautpath("solve", path, *options, "--json")
    (result,) = json.loads(out)["results"]
    assert (result["distance"], result["path"], result["verified"]) == (8, [1, 2, 3, 4], True)
    assert "wrote" in err
