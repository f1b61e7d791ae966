"""``python -m tests.documentation FOLDER``: build the site, and refuse one that would
load anything from elsewhere.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.documentation.markdown import DOCS
from tests.documentation.remote import remote_resources


def main(folder: Path) -> int:
    config = load_config(str(DOCS / "mkdocs.yml"), site_dir=str(folder.resolve()), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    config.plugins.on_shutdown()
    remote = remote_resources(folder)
    for line in remote:
        sys.stderr.write(f"{line}\n")
    if remote:
        return 1
    sys.stdout.write(f"The documentation is in {folder / 'index.html'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
