"""Published graphs: listed, downloaded and opened."""

from solvers.system.feature import Command, Feature

FEATURE = Feature(
    "Published graphs",
    commands=(
        Command(
            "datasets",
            "List published graphs, and download the chosen ones.",
            f"{__name__}.commands",
            after="convert",
        ),
    ),
)
