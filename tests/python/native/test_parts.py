"""Where the compiled parts are found."""

from pathlib import Path

import pytest

from stretto import native
from stretto.errors import EnvironmentUnusable


def test_the_folder_named_is_the_folder_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(native.VARIABLE, str(tmp_path))
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    tool = tmp_path / "bin" / "stretto-schedule"
    library = tmp_path / "lib" / "libstretto-accelerate-mpich.so"
    with pytest.raises(EnvironmentUnusable, match="no variant for the mpich ABI"):
        native.drop_in("mpich")
    with pytest.raises(EnvironmentUnusable, match="make build"):
        native.schedule_tool()
    tool.touch()
    library.touch()
    assert (native.drop_in("mpich"), native.schedule_tool()) == (library, tool)


def test_a_folder_named_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(native.VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(EnvironmentUnusable, match="gone is not a folder"):
        native.native_dir()
