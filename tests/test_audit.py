"""The audit says what it found, and says so where it could not ask."""

from __future__ import annotations

import json
import sys

import pytest

from tests.audit import main, verdict

CLEAN = {"name": "numpy", "version": "2.4.0", "vulns": []}
ADVISED = {"name": "pillow", "version": "11.1", "vulns": [{"id": "PYSEC-2026-1", "fix_versions": ["11.2"]}]}
UNKNOWN = {"name": "ours", "skip_reason": "Dependency not found on PyPI and could not be audited: ours (1.0)"}


@pytest.mark.parametrize(
    ("packages", "status", "words"),
    [
        ([CLEAN], 0, "No advisory is known for any of the 1 package."),
        ([CLEAN, ADVISED], 1, "pillow 11.1: PYSEC-2026-1, fixed in 11.2"),
        ([CLEAN, UNKNOWN], 1, "Not found by the advisory service, and so not audited: ours."),
        ([UNKNOWN, UNKNOWN], 2, "Nothing was audited, because the advisory service that is reached from here"),
    ],
)
def test_a_package_that_could_not_be_looked_up_is_not_called_clean(packages, status, words):
    (line,), found = verdict(json.dumps({"dependencies": packages}), "")
    assert found == status
    assert line.startswith(words)


def test_a_service_that_cannot_be_reached_is_one_sentence():
    trace = "Traceback (most recent call last):\n  File ...\nrequests.exceptions.ConnectionError: no route to host\n"
    (line,), status = verdict("", trace)
    assert status == 2
    assert line.endswith(
        "the advisory service cannot be reached: requests.exceptions.ConnectionError: no route to host"
    )


def test_the_program_is_asked_for_the_pinned_packages(capfd, tmp_path):
    program = tmp_path / "pip_audit.py"
    program.write_text(
        "import json, sys\n"
        "assert sys.argv[2].endswith('constraints.txt')\n"
        "print(json.dumps({'dependencies': [{'name': 'numpy', 'version': '2', 'vulns': []}]}))\n"
    )
    assert main([sys.executable, str(program)]) == 0
    assert capfd.readouterr().out == "No advisory is known for any of the 1 package.\n"
