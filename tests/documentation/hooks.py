"""What MkDocs calls while it builds the site: adds generated pages, expands includes,
and completes the navigation.

``resources/docs/mkdocs.yml`` names this file.
"""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.structure.files import File, Files

from solvers.core.variant import Algorithm, all_variants
from tests.documentation.cards import card_pages, page_of
from tests.documentation.catalogues import help_pages, title_of
from tests.documentation.gallery import EXHIBITS
from tests.documentation.includes import expanded, repository_pages
from tests.documentation.markdown import ROOT
from tests.documentation.tours import TOURS, write_tour

PICTURES = ("resources/pictures/window.png", "resources/icons/tautpath.svg")
HELP_SECTION, VARIANTS_SECTION = "User guide", "Variants"


def on_config(config: Any) -> Any:
    """Add help pages and variants to the navigation, so that a new one needs no line there."""
    for section in config["nav"]:
        ((title, items),) = section.items()
        if title == HELP_SECTION:
            named = {path for item in items if isinstance(item, dict) for path in item.values()}
            items += [
                {title_of(text): path} for path, text in help_pages().items() if path not in named
            ]
        elif title == VARIANTS_SECTION:
            items += [_family(algorithm) for algorithm in Algorithm]
    return config


def _family(algorithm: Algorithm) -> dict[str, list[dict[str, str]]]:
    return {
        algorithm.value: [
            {entry.id: page_of(entry)} for entry in all_variants() if entry.algorithm is algorithm
        ]
    }


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages that are made from the program."""
    for path, text in {**card_pages(), **help_pages(), **repository_pages()}.items():
        files.append(File.generated(config, path, content=text))
    for name in PICTURES:
        file = ROOT / name
        files.append(File.generated(config, f"pictures/{file.name}", abs_src_path=str(file)))
    for picture, exhibit in zip(gallery_pictures(), EXHIBITS, strict=True):
        files.append(File.generated(config, f"pictures/{picture.name}", abs_src_path=str(picture)))
        notebook = exhibit.path
        files.append(
            File.generated(config, f"notebooks/{notebook.name}", abs_src_path=str(notebook))
        )
    for page in tour_pages():
        files.append(File.generated(config, f"play/{page.name}", abs_src_path=str(page)))
    return files


@cache
def tour_pages() -> list[Path]:
    """The pages of the tours, made once a build."""
    return [write_tour(tour, _folder()) for tour in TOURS]


@cache
def gallery_pictures() -> list[Path]:
    """The pictures of the gallery, made once a build."""
    return [exhibit.write_picture(_folder()) for exhibit in EXHIBITS]


def _folder() -> Path:
    """A new folder that goes with the process."""
    folder = TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Expand what a written page includes."""
    return expanded(markdown, page.file.src_uri)
