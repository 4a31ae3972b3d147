"""What README.md has a new user type."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_folder_for_path_holds_stretto_alone() -> None:
    """An mpirun in it would come before the system's."""
    line = re.search(
        r"^\$ (export PATH=\S+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert line is not None
    script = f"{line[1]}; ls ${{PATH%%:*}}; stretto --version"
    env = {"PATH": os.defpath}
    answer = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert re.fullmatch(r"stretto\nstretto .*\n", answer.stdout), answer.stdout
