"""Features found by import, and the place of what they add."""

from __future__ import annotations

from operator import itemgetter

import pytest

from solvers.cli import COMMANDS
from solvers.system.feature import features, placed


@pytest.mark.parametrize(
    ("added", "order"),
    [
        ([("b", "x")], "abxc"),
        ([("a", "y"), ("a", "x")], "ayxbc"),
        ([("x", "y"), ("a", "x")], "axybc"),  # behind a row that is added later
        ([("gone", "x"), ("c", "y")], "abcyx"),  # the feature that has it was taken out
    ],
)
def test_an_added_row_follows_the_one_that_it_names(added: list[tuple[str, str]], order: str):
    assert "".join(placed("abc", added, itemgetter(0))) == order


def test_commands_of_features_stand_where_they_say():
    names, added = list(COMMANDS), [one for each in features().values() for one in each.commands]
    assert added
    for command in added:
        assert COMMANDS[command.name] is command
        assert names.index(command.after) < names.index(command.name)
