"""``exercises``: the course of broken and slow kernels: list it, start one, check a
solution, and grade a class.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from solvers.commands.console import Console, interruptible
from solvers.commands.options import require_places
from solvers.devices import pick
from solvers.errors import InputError
from solvers.features.exercises.course import (
    Exercise,
    attempts,
    check_exercise,
    exercises,
    find_exercise,
    grade,
    keep_attempt,
    write_class,
)
from solvers.features.own_kernels.solve import set_kernel_limit
from solvers.features.own_kernels.user_variants import text_of
from solvers.system.files import writing


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "exercise", nargs="?", metavar="ID|NUMBER", help="show one exercise; without it, list all"
    )
    parser.add_argument("file", nargs="?", metavar="FILE.cu", help="check this solution of it")
    parser.add_argument("--hint", action="store_true", help="show the hint, too")
    parser.add_argument(
        "--start", metavar="FILE.cu", help="write the kernel to be mended to a new file"
    )
    parser.add_argument(
        "--exercises-from", metavar="FOLDER", help="a teacher's exercises instead of Tautpath's"
    )
    parser.add_argument(
        "--class", dest="students", metavar="FOLDER", help="check FOLDER/STUDENT/EXERCISE.cu of all"
    )
    parser.add_argument(
        "--csv", metavar="FILE.csv", help="where the results of the class are written"
    )
    parser.add_argument(
        "--device", default="auto", metavar="cuda|opencl|auto", help="device (default: auto)"
    )
    parser.add_argument(
        "--kernel-limit", type=float, metavar="S", help="end a solve after S seconds"
    )


def execute(arguments: argparse.Namespace, console: Console) -> int:
    set_kernel_limit(arguments.kernel_limit)
    folder = Path(arguments.exercises_from) if arguments.exercises_from else None
    course, problems = exercises(folder)
    if folder is not None and not course:
        raise problems[0]
    for problem in problems:
        console.note(str(problem))
    if bool(arguments.students) != bool(arguments.csv):
        raise InputError(
            "--class and --csv belong together: the students' folder, "
            "and the file of their results."
        )
    if arguments.students:
        return _grade(arguments, course, console)
    if arguments.exercise is None:
        kept = attempts()
        rows = [
            (one.id, one.title, one.base_id, kept[one.id].words if one.id in kept else "")
            for one in course
        ]
        console.table(("exercise", "title", "kernel of", "so far"), rows)
        return 0
    one = find_exercise(arguments.exercise, folder)
    if arguments.file is not None:
        return _check(one, arguments, console)
    place = Path(arguments.start) if arguments.start else None
    if place is not None:
        with writing(place), place.open("x", encoding="utf-8") as stream:
            stream.write(one.given)
    console.line(f"{one.title}: {one.task}")
    if arguments.hint:
        console.line(f"Hint: {one.hint}")
    if place is not None:
        console.wrote(place)
    return 0


def _check(one: Exercise, arguments: argparse.Namespace, console: Console) -> int:
    device = pick(arguments.device)
    with interruptible() as token:
        progress = console.progress_for(token, f"checking {one.id}")
        outcome = check_exercise(one, text_of(Path(arguments.file)), device, progress=progress)
    console.clear_progress()
    keep_attempt(one, outcome)
    for sentence in outcome.sentences:
        console.line(sentence)
    return 0 if outcome.solved else 1


def _grade(arguments: argparse.Namespace, course: list[Exercise], console: Console) -> int:
    require_places(arguments.csv)
    device = pick(arguments.device)
    with interruptible() as token:
        progress = console.progress_for(token, "checking the class")
        rows = list(grade(Path(arguments.students), course, device, progress))
    console.clear_progress()
    write_class(Path(arguments.csv), rows)
    console.wrote(Path(arguments.csv))
    return 0
