"""Run > Change this kernel: kernels are changed in an editor, checked, and run as variants."""

from __future__ import annotations

from gui.contributions import Contribution, PlacedPanel, WindowActs
from gui.parts import WindowComponents
from gui.shell.side_bars import BarSide, LatePanel, Panel


def contribute(parts: WindowComponents, window: WindowActs) -> Contribution:
    """The editor's panel and its rows; their controller is made at once, since the user's
    folder is watched, the editor and what is said of its text with the first kernel.
    """
    from gui.features.own_kernels.controller import KernelController

    kernels = KernelController(parts.session, parts.jobs, parts.run, parts.window)

    def look_for_faults() -> None:
        from gui.features.own_kernels.faults import KernelFaultController

        KernelFaultController(
            kernels, parts.session, parts.playback, parts.jobs, parts.canvas, parts.losses
        )

    kernels.editor_made.connect(look_for_faults)
    parts.run.before.append(kernels.compiles_first)

    def show() -> None:
        window.bars.open("Kernel", by_user=True)
        kernels.editor.text.setFocus()

    kernels.opened.connect(show)
    panel = Panel("Kernel", "kernel", LatePanel(lambda: kernels.editor), width=560)
    return Contribution(
        acts={
            "change-kernel": kernels.change,
            "deleted-kernels": kernels.ask_to_restore,
            "new-variant": kernels.new_variant,
        },
        panels=(PlacedPanel(BarSide.LEFT, "Selected variant", panel),),
        on_cards={"change-kernel": lambda variant: bool(variant.kernel)},
        sections=(kernels.section,),
        end=kernels.shut_down,
        controller=lambda: kernels,
    )
