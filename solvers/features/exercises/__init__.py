"""Broken and slow kernels to be mended: listed, checked, and a class graded."""

from solvers.system.feature import Command, Feature

FEATURE = Feature(
    "Exercises",
    commands=(
        Command(
            "exercises",
            "Broken and slow kernels to be mended: list, check, and grade a class.",
            f"{__name__}.commands",
            after="check",
        ),
    ),
    needs=("own_kernels",),
)
