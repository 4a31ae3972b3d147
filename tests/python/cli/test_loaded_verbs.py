"""Which verbs a command line loads."""

import typer
from typer.core import TyperGroup

from stretto.cli.bench import VERBS as BENCH_VERBS
from stretto.cli.main import application
from stretto.cli.verbs import VERBS


def loaded(*arguments: str) -> TyperGroup:
    """`stretto` as this command line gets it."""
    command = typer.main.get_command(application(arguments))
    assert isinstance(command, TyperGroup)
    return command


def bench_verbs(*arguments: str) -> list[str]:
    """Those of `stretto bench`."""
    bench = loaded(*arguments).commands["bench"]
    assert isinstance(bench, TyperGroup)
    return [*bench.commands]


def test_the_verb_that_is_asked_for() -> None:
    assert [*loaded("run", "./app").commands] == ["run"]
    assert [*loaded("--version").commands] == []
    assert {*loaded("--help").commands} == {*VERBS}
    # The version is printed, and the verb is run as well.
    assert {*loaded("--version", "info").commands} == {*VERBS}


def test_the_verb_of_bench_that_is_asked_for() -> None:
    assert bench_verbs("bench", "show", "folder") == ["show"]
    assert bench_verbs("--", "bench", "show", "folder") == ["show"]
    for words in ([], ["bcast"], ["-n", "4"], ["--quick", "bcast"], ["bcast", "--help"]):
        assert bench_verbs("bench", *words) == ["run"]


def test_all_where_they_are_listed() -> None:
    assert bench_verbs("bench", "--help") == BENCH_VERBS
    assert bench_verbs() == BENCH_VERBS
