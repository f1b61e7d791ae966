"""Claims of an experiment, as the dialog of experiments shows them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gui.style.plain_text import visible
from gui.style.theme import tokens
from solvers.experiments.claims import ClaimVerdict, Judgement

_NO_CLAIMS = "Start the experiment: what the paper claims is then held against what was measured here."


def claims_html(judgements: Sequence[Judgement]) -> str:
    """The claims with verdict, figure and source, in the colours of the scheme."""
    t = tokens()
    if not judgements:
        return f'<p style="color:{t.muted}">{_NO_CLAIMS}</p>'
    colours = {ClaimVerdict.HOLDS: t.good, ClaimVerdict.FAILS: t.bad, ClaimVerdict.UNTESTABLE: t.muted}
    parts = []
    for found in judgements:
        verdict = f'<b style="color:{colours[found.verdict]}">{_html(found.verdict.value)}</b>'
        taken = f"Measured {_html(found.figure)}; taken" if found.figure else "Taken"
        reason = f"<br>{_html(found.reason[:1].upper() + found.reason[1:])}." if found.reason else ""
        remark = f"<br>{_html(found.remark)}" if found.remark else ""
        told = f"{taken} as {_html(found.needed)}.{reason}{remark}"
        parts.append(
            f'<p style="margin:10px 0 0 0">{verdict} &nbsp;{_html(found.claim.text)} '
            f'<span style="color:{t.muted}">({_html(found.claim.source)})</span></p>'
            f'<p style="margin:2px 0 0 0;color:{t.muted}">{told}</p>'
        )
    return "".join(parts)


def _html(text: str) -> str:
    return escape(visible(text))
