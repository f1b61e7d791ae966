"""Kernels and variants of the user's own: changed, found, checked, and run in processes of
their own.
"""

from solvers.system.feature import Command, Feature, VariantSource

FEATURE = Feature(
    "Kernels of your own",
    commands=(
        Command(
            "check",
            "Compare a changed kernel with the original on random graphs.",
            f"{__name__}.commands",
            after="solve",
        ),
    ),
    variant_source=VariantSource(
        f"{__name__}.user_variants",
        "--variants-from",
        "find variants of your own in the .py files of a folder; may be repeated",
    ),
    solve=f"{__name__}.solve",
)
