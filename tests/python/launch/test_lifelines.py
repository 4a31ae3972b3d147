import socket
import tempfile
from pathlib import Path

import pytest

from stretto.errors import InputError
from stretto.launch import lifelines
from stretto.launch.deaths import NOTICES
from stretto.launch.lifelines import VARIABLE, Lifelines
from stretto.launch.process import launch


def test_without_a_temporary_folder_ranks_come_over_the_network(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lifelines, "_addresses", lambda: ["10.0.0.1"])
    with monkeypatch.context() as patch:  # pytest itself makes temporary files
        patch.setattr(tempfile, "tempdir", "/not/there")
        made = Lifelines()
        with made:
            key, path, place = made.environment[VARIABLE].split(",")
            port = made.sockets[0].getsockname()[1]
            families = [listener.family for listener in made.sockets]
    assert (key, path, place) == (made.key, "", f"10.0.0.1:{port}")
    assert families == [socket.AF_INET]
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("stretto: no temporary folder can be made (No such file")
    assert "TMPDIR" in line


def test_a_launch_hands_on_its_own_lifelines_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that a script starts which is itself launched."""
    monkeypatch.setenv(VARIABLE, "others,/path")
    script = f'echo "${VARIABLE}"'
    assert launch(["sh", "-c", script]).last_words == "\n"
    with Lifelines() as own:
        said = launch(["sh", "-c", script], lifelines=own).last_words
    assert said == own.environment[VARIABLE] + "\n"


def test_ranks_are_sent_to_no_place_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifelines, "_addresses", list)
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", "/not/there")
        with Lifelines() as made:
            assert made.environment == {}


@pytest.mark.parametrize("name", ["long" * 30, "a,b"])
def test_a_folder_that_no_socket_can_be_in_is_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The ranks here come over TCP, where this machine has no network, too."""
    monkeypatch.setattr(socket, "if_nameindex", list)
    (tmp_path / name).mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path / name))
        with Lifelines() as made:
            port = made.sockets[0].getsockname()[1]
            assert made.environment[VARIABLE] == f"{made.key},,127.0.0.1:{port}"
    assert list((tmp_path / name).iterdir()) == []


def test_a_time_that_is_none_is_told_before_anything_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(NOTICES, "soon")
    with pytest.raises(InputError, match="STRETTO_DEATH_SECONDS=soon is not a whole number"):
        Lifelines().__enter__()
