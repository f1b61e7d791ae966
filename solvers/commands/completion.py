"""``completion``: print the script by which bash, zsh or fish complete commands,
options and their values.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from solvers.commands.console import Console

_SHELLS = {
    "bash": 'eval "$(tautpath completion bash)"  # in ~/.bashrc',
    "zsh": 'eval "$(tautpath completion zsh)"  # in ~/.zshrc',
    "fish": "tautpath completion fish | source  # in ~/.config/fish/config.fish",
}


def configure(parser: argparse.ArgumentParser) -> None:
    ways = "; ".join(_SHELLS.values())
    parser.add_argument("shell", choices=tuple(_SHELLS), help=f"To use it, write: {ways}")


def execute(arguments: argparse.Namespace, console: Console) -> int:
    words = list(_words(arguments.root))
    console.help(
        _fish(words) if arguments.shell == "fish" else _bash(words, is_zsh=arguments.shell == "zsh")
    )
    return 0


@dataclass(frozen=True)
class _Word:
    command: str  # after which it may stand; "" for commands themselves
    text: str
    help: str
    takes_value: bool = False
    values: tuple[str, ...] = ()  # that it may take; without any, files are offered


def _words(parser: argparse.ArgumentParser, command: str = "") -> Iterator[_Word]:
    """Commands, options, and actions of commands, with options of these."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for shown in action._choices_actions:
                yield _Word(command, shown.dest, shown.help or "")
            for name, inner in action.choices.items():
                yield from _words(inner, command or name)
        elif action.option_strings:
            values = tuple(map(str, action.choices or ()))
            purpose = (action.help or "").replace("%%", "%")
            for option in action.option_strings:
                yield _Word(command, option, purpose, action.nargs != 0, values)
        elif action.choices:
            yield from (_Word(command, str(value), "") for value in action.choices)


def _bash(words: list[_Word], *, is_zsh: bool) -> str:
    """A function for bash's ``complete``, which zsh has as well; without an offer files
    are completed.
    """
    values = {(w.command, w.text): " ".join(w.values) for w in words if w.takes_value}
    lines = ["autoload -U +X bashcompinit && bashcompinit"] if is_zsh else []
    lines += ["_tautpath() {", '  local cur="${COMP_WORDS[COMP_CWORD]}" command="" offer=""']
    lines += ['  [ "$COMP_CWORD" -gt 1 ] && command="${COMP_WORDS[1]}"']
    lines += ['  case "$command ${COMP_WORDS[COMP_CWORD-1]}" in']
    lines += [
        f'    "{command} {option}") offer="{offered}" ;;'
        for (command, option), offered in values.items()
    ]
    lines += ['    *) case "$command" in']
    for command, group in groupby(sorted(words, key=lambda w: w.command), key=lambda w: w.command):
        offered = " ".join(dict.fromkeys(word.text for word in group))
        lines.append(f'      "{command}") offer="{offered}" ;;')
    lines += ["    esac ;;", "  esac", '  COMPREPLY=($(compgen -W "$offer" -- "$cur"))', "}"]
    return "\n".join([*lines, "complete -o default -F _tautpath tautpath", ""])


def _fish(words: list[_Word]) -> str:
    lines = []
    for word in words:
        seen = (
            f"__fish_seen_subcommand_from {word.command}"
            if word.command
            else "__fish_use_subcommand"
        )
        name = word.text.lstrip("-")
        flag = ("fa", "s", "l")[len(word.text) - len(name)]
        value = " -r" if word.takes_value else ""
        if word.values:
            value = f" -xa {_quoted(' '.join(word.values))}"
        lines.append(
            f"complete -c tautpath -n {_quoted(seen)} -{flag} {_quoted(name)}{value} "
            f"-d {_quoted(word.help)}"
        )
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    """A word for fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
