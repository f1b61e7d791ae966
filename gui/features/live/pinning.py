"""Run > Pin live answer: a measured run of what is shown live."""

from __future__ import annotations

from gui.controllers.run import RunController
from gui.model.session import Session
from solvers.text import plural


def pin(session: Session, running: RunController) -> None:
    """Run the ticked variants on the present end points and roads; the kept run is
    named after them.
    """
    graph, source = session.graph, session.source
    if graph is None or source is None:
        return
    running.start(_name(session))
    if further := len(session.sources) - 1:
        left_out = f"{plural(further, 'further source')} left out"
        text = f"A measured run has one source, {graph.vertex_label(source)}: {left_out}."
        session.inform(text)


def _name(session: Session) -> str:
    """Name of the run: its end points and what was changed."""
    graph = session.graph
    if graph is None:
        return ""
    ends = (session.source, session.target)
    text = "Live " + " → ".join(graph.vertex_label(vertex) for vertex in ends if vertex is not None)
    return ", ".join(part for part in (text, str(session.applied_roads)) if part)
