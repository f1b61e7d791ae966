"""All sources: numbers of every vertex from its distances to all others, flows of roads."""

from solvers.system.feature import Command, Feature

FEATURE = Feature(
    "All sources",
    needs=("clusters",),  # where it can be computed, too
    names={
        "AllSources": f"{__name__}.answer",
        "Flows": f"{__name__}.betweenness",
        "Histogram": f"{__name__}.reductions",
        "all_sources": f"{__name__}.call",
    },
    first_calls=f"{__name__}.first_calls",
    commands=(
        Command(
            "all-sources",
            "Eccentricity, closeness, reach and betweenness of every vertex; diameter.",
            f"{__name__}.commands",
            after="check",
        ),
    ),
)
