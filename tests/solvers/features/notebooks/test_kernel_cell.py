"""Kernels in a cell: compiled, refused with the lines of errors, and marked where they fail."""

from __future__ import annotations

import numpy as np
import pytest

from solvers import read
from solvers.devices import discover
from solvers.errors import InputError, KernelBuildError, KernelMismatch, UnknownName
from solvers.features.notebooks import load_ipython_extension
from solvers.features.notebooks.kernel_cell import listing
from solvers.features.own_kernels.user_variants import base_of, text_of
from solvers.library.shortest_paths import ShortestPaths
from solvers.picture.colours import LIGHT
from solvers.picture.scene.ramps import rgb
from solvers.system.files import RESOURCES

ID = "bf-edge-flags"
needs_device = pytest.mark.skipif(not discover().devices, reason="no device compiles kernels")


class Shell:
    """What the extension needs of IPython."""

    def __init__(self):
        samples = RESOURCES / "samples"
        graph = read(samples / "textbook.gr", coordinates=samples / "textbook.co")
        self.user_ns = {"g": graph}
        self.magics, self.next = {}, []
        load_ipython_extension(self)

    def register_magic_function(self, function, kind, name):
        assert kind == "line_cell"
        self.magics[name] = function

    def set_next_input(self, text, replace):
        self.next.append((text, replace))


@pytest.fixture(scope="module")
def shell():
    return Shell()


@pytest.fixture(scope="module")
def text():
    return text_of(base_of(ID)[1])


def test_the_line_writes_the_original_into_the_cell(shell, text):
    assert shell.magics["kernel"](f"{ID} g 1") is None
    assert shell.next == [(f"%%kernel {ID} g 1\n{text}", True)]


@needs_device
def test_a_right_kernel_gives_its_answer(shell, text):
    answer = shell.magics["kernel"](f"{ID} g 2", text)
    assert isinstance(answer, ShortestPaths)
    assert answer.verified
    assert answer.source == 2
    assert "This output holds" in answer._repr_mimebundle_()[0]["text/html"]


@needs_device
def test_an_error_stands_below_its_line(shell, text):
    lines = text.splitlines()
    number = next(i for i, line in enumerate(lines) if "int head = heads[arc];" in line)
    wrong = text.replace("int head = heads[arc];", "int head = haeds[arc];")
    found = shell.magics["kernel"](ID, wrong).text.splitlines()
    at = next(i for i, line in enumerate(found) if line.startswith(f"{number + 1:>5} │"))
    assert "haeds" in found[at]
    assert "└─ error: " in found[at + 1]
    assert "haeds" in found[at + 1]


@needs_device
def test_wrong_vertices_are_marked_on_the_picture(shell, text):
    wrong = text.replace("        next[head] = 1;\n", "        if (head % 3) next[head] = 1;\n")
    assert wrong != text
    found = shell.magics["kernel"](f"{ID} g 1", wrong)
    marked = found.picture.wrong
    assert [shell.user_ns["g"].vertex_id(v) for v in marked] == [6, 8]
    assert "2 of 8 vertices are wrong" in found.text
    assert (np.asarray(found.picture.image) == rgb(LIGHT.bad)).all(axis=2).any()


def test_errors_of_both_compilers_are_listed_once_each():
    log = "k.cu(3): error: expected a ;\nk.cu:5:2: warning: unused x\nother.h(1): error: no"
    text = "\n".join(f"line {i}" for i in range(1, 9))
    found = listing(text, KernelBuildError("k.cu", "a device", log), "k.cu").splitlines()
    assert [line.strip() for line in found[1:]] == [
        "1 │ line 1",
        "2 │ line 2",
        "3 │ line 3",
        "└─ error: expected a ;",
        "4 │ line 4",
        "5 │ line 5",
        "└─ warning: unused x",
        "6 │ line 6",
        "7 │ line 7",
    ]
    assert "nothing known" in listing(text, KernelBuildError("k", "d", "nothing known"), "k.cu")


def test_a_line_that_says_something_else_is_refused(shell, text):
    kernel = shell.magics["kernel"]
    for line, error, words in (
        ("", InputError, "%%kernel VARIANT"),
        ("bf-edge-flagz", UnknownName, "bf-edge-flags"),
        (f"{ID} nothing", InputError, "no graph named nothing"),
        (f"{ID} g 99", InputError, "99"),
        ("dijkstra-heap", UnknownName, "kernel to change"),
    ):
        with pytest.raises(error, match=words):
            kernel(line, text)
    with pytest.raises(KernelMismatch, match="copy_flags"):
        kernel(ID, text.replace("copy_flags", "copied"))
