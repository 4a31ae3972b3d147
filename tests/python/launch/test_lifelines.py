import socket
import tempfile

import pytest

from stretto.launch import lifelines
from stretto.launch.lifelines import VARIABLE, Lifelines


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


def test_ranks_are_sent_to_no_place_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifelines, "_addresses", list)
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", "/not/there")
        with Lifelines() as made:
            assert made.environment == {}
