"""The notebooks of the documentation are stripped, and have pictures in the gallery.

`tests.test_wheel` executes them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from solvers.version import __version__
from tests.documentation.gallery import EXHIBITS, NOTEBOOKS, colab_link, gallery
from tests.documentation.markdown import ROOT

NAMES = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))


def test_every_notebook_is_in_the_gallery_with_its_words():
    assert sorted(exhibit.name for exhibit in EXHIBITS) == NAMES
    for exhibit in EXHIBITS:
        title, words = exhibit.words
        assert len(title) < 60
        assert len(words) > 60
        assert f"[{title}](../notebooks/{exhibit.name}.ipynb)" in gallery()


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_has_no_outputs_in_the_repository(name):
    text = (NOTEBOOKS / f"{name}.ipynb").read_text("utf-8")
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert text == json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


@pytest.mark.parametrize("name", ["your-own-table", "your-own-kernel"])
def test_a_picture_of_the_gallery_is_drawn(name, tmp_path):
    exhibit = next(exhibit for exhibit in EXHIBITS if exhibit.name == name)
    with Image.open(exhibit.write_picture(tmp_path)) as picture:
        assert picture.width > 1000


@pytest.mark.parametrize(
    ("urls", "home"),
    [
        ('Repository = "https://github.com/an-owner/tautpath"', "an-owner/tautpath"),
        ('Repository = "https://github.com/an-owner/tautpath.git"', "an-owner/tautpath"),
        ('Repository = "https://github.com/an-owner/taut.line/"', "an-owner/taut.line"),
        ('Repository = "https://example.org/tautpath"', None),
        ("", None),
    ],
)
def test_colab_opens_a_notebook_from_the_repository_that_the_project_names(
    urls: str, home: str | None, tmp_path: Path
) -> None:
    pyproject = tmp_path / "pyproject.toml"
    pyproject.write_text(f"[project]\nname = 'tautpath'\n[project.urls]\n{urls}\n", "utf-8")
    for exhibit in EXHIBITS:
        link = colab_link(exhibit, pyproject)
        if home is None:
            assert link is None
        else:
            assert f"/github/{home}/blob/v{__version__}/" in link
            assert (ROOT / link.partition(f"/v{__version__}/")[2]).is_file()


def test_the_gallery_links_to_colab_exactly_where_the_project_names_a_repository() -> None:
    expected = sum(colab_link(exhibit) is not None for exhibit in EXHIBITS)
    assert gallery().count("Open in Colab") == expected
