"""docs/collectives.md is what the code says."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "collectives_table.py"


def test_the_table_in_the_docs_is_up_to_date() -> None:
    checked = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, check=False)
    assert checked.returncode == 0, f"run {TOOL}\n{checked.stderr.decode()}"
