"""Faults that `make mutation` plants are of the sources as they are."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_fault_has_one_place_to_be_planted() -> None:
    faults = tomllib.loads((ROOT / "tests" / "mutation" / "faults.toml").read_text())["fault"]
    assert faults
    nowhere = [
        f"{each['file']}: {each['old']}"
        for each in faults
        if (ROOT / each["file"]).read_text(encoding="utf-8").count(each["old"]) != 1
    ]
    assert nowhere == []
