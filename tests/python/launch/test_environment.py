from pathlib import Path

import pytest

from stretto.errors import InputError
from stretto.launch.environment import parse_selection, rank_environment
from stretto.launch.knobs import settings, unknown_settings

KNOWN = {"bcast": ["binomial", "chain"], "allreduce": ["ring"]}


@pytest.fixture(autouse=True)
def _nothing_preloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)


def test_ranks_get_the_library_and_the_choices() -> None:
    assert rank_environment(Path("/lib/s.so"), {"bcast": "chain"}, verbose=True) == {
        "LD_PRELOAD": "/lib/s.so",
        "STRETTO_RUN_ALL_RANKS": "trust",
        "STRETTO_SELECTION_BCAST": "chain",
        "STRETTO_VERBOSE": "1",
    }


def test_what_the_user_preloads_stays_and_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/lib/mine.so")
    found = rank_environment(Path("/lib/s.so"), {}, verbose=False)
    assert found["LD_PRELOAD"] == "/lib/mine.so:/lib/s.so"


def test_choices_are_read() -> None:
    assert parse_selection(["bcast=chain", "allreduce=native"], KNOWN) == {
        "bcast": "chain",
        "allreduce": "native",
    }


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("bcast", "is not COLLECTIVE=NAME"),
        ("gossip=ring", "no collective gossip; there are bcast, allreduce"),
        ("bcast=ring", "bcast has no algorithm ring; it has binomial, chain, native"),
        ("bcast=", "bcast has no algorithm ;"),
    ],
)
def test_a_choice_that_is_none_names_the_known_ones(choice: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_selection([choice], KNOWN)


def test_settings_say_where_their_value_is_from() -> None:
    environment = {"STRETTO_VERBOSE": "1", "STRETTO_SELECTION_BCAST": "", "STRETTO_VERBOS": "1"}
    found = settings(KNOWN, environment)
    by_name = {setting.knob.name: setting for setting in found}
    assert by_name["STRETTO_VERBOSE"].source == "environment"
    assert by_name["STRETTO_SELECTION_BCAST"].source == "default"
    assert by_name["STRETTO_SELECTION_BCAST"].value == "automatic"
    assert unknown_settings(found, environment) == ["STRETTO_VERBOS"]
