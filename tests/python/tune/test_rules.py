"""The file of rules: written, read back, and handed to the ranks."""

from pathlib import Path

import pytest

from stretto.errors import InputError
from stretto.tune.rules import (
    CollectiveRules,
    Evidence,
    Fingerprint,
    Rule,
    Tuned,
    read_tuned,
    rule_for,
    toml_of,
)

RULES = [Rule("native", 2048), Rule("ring", None, 32768)]
TUNED = Tuned(
    Fingerprint('Open "MPI" 4', "cpu\\x", 8, rig="4x2@1gbit"),
    [
        CollectiveRules(
            "allreduce",
            4,
            2,
            RULES,
            [Rule("rabenseifner")],
            [Evidence(8, "last:1ms", "native:ring", 12345.5, 0.25, 99.0, 45)],
        )
    ],
)


def test_it_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    path.write_text(toml_of(TUNED))
    assert read_tuned(path) == TUNED
    assert '{ algorithm = "native", up_to_bytes = 2048 },' in path.read_text()


def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tuned.toml"
    text = toml_of(TUNED)
    for length in range(len(text.rstrip())):
        path.write_text(text[:length])
        with pytest.raises(InputError, match=r"tuned\.toml"):
            read_tuned(path)
    path.write_text(text[: text.index("[end]")])
    with pytest.raises(InputError, match=r"was cut off: it does not end with \[end\]"):
        read_tuned(path)


def test_ranks_get_one_word_a_rule() -> None:
    words = "allreduce:4:2:2048:native:0:2 allreduce:4:2:any:ring:32768:2"
    assert TUNED.for_the_library() == words


def test_too_many_rules_are_said() -> None:
    many = [Rule("native", i) for i in range(2000)]
    tuned = Tuned(TUNED.fingerprint, [CollectiveRules("bcast", 4, 1, many)])
    with pytest.raises(InputError, match="2000 rules are too many"):
        tuned.for_the_library()


def test_the_first_rule_that_is_long_enough_holds() -> None:
    assert [rule_for(RULES, size).algorithm for size in (0, 2048, 2049)] == [
        "native",
        "native",
        "ring",
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("up_to_bytes = 2048", "up_to_bytes = -1", "up_to_bytes"),
        ('algorithm = "ring"', 'algorithm = "ring:2"', "is no algorithm's name"),
        ('algorithm = "ring",', 'algorithm = "ring", up_to_bytes = 2048,', "must rise"),
        ('algorithm = "ring",', 'algorithm = "ring", up_to_bytes = 4096,', "the last rule"),
        ("[fingerprint]", "[fingerprints]", "fingerprint"),
        ("[[collective]]", "[[collective", "Expected"),
        ("cpus = 8", "cpus = " + "8" * 5000, "has 5000 digits"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = tmp_path / "tuned.toml"
    path.write_text(toml_of(TUNED).replace(old, new, 1))
    with pytest.raises(InputError, match=complaint):
        read_tuned(path)
