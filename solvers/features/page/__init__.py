"""Web pages: graph, runs and player in one HTML file, which plays in any browser."""

from solvers.system.feature import Feature

FEATURE = Feature(
    "Web pages",
    solve=f"{__name__}.solve",
    results=f"{__name__}.run_page",
    needs=("lesson",),  # its questions and steps, which a page has, too
)
