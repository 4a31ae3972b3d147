"""Predictions that a run folder keeps."""

from pathlib import Path

import pytest

from stretto.data.bench_predictions import (
    Predicted,
    Prediction,
    Predictions,
    keep_predictions,
    kept_predictions,
)
from stretto.errors import EnvironmentUnusable, InputError

PREDICTED = Predicted(5.0, 1.0, "ring")
PREDICTIONS = Predictions("laptop", [Prediction(3, "all", "stretto", PREDICTED)])


def test_they_are_read_as_they_were_kept(tmp_path: Path) -> None:
    assert kept_predictions(tmp_path) is None
    keep_predictions(tmp_path, PREDICTIONS)
    assert kept_predictions(tmp_path) == PREDICTIONS
    assert PREDICTIONS.by_row() == {(3, "all", "stretto"): PREDICTED}


@pytest.mark.parametrize("content", [b"", b'{"machine": 5}', b"\xff"])
def test_what_is_damaged_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(InputError, match=r"model\.json cannot be read"):
        kept_predictions(tmp_path)


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnusable):
        keep_predictions(tmp_path / "gone", PREDICTIONS)
