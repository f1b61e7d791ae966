"""Where the sources of the site are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELP = ROOT / "resources" / "help"
DOCS = ROOT / "resources" / "docs"
PAGES = DOCS / "pages"
EXAMPLES = ROOT / "tests" / "examples"
