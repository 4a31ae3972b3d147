"""`stretto info` knows what the libraries read."""

import re
from pathlib import Path

from stretto.launch.environment import SELECTION
from stretto.launch.knobs import settings

SRC = Path(__file__).resolve().parents[3] / "src"
READ = re.compile(r'"(STRETTO_[A-Z_]+)"')


def test_every_variable_that_the_libraries_read_is_a_knob() -> None:
    sources = [*SRC.rglob("*.cpp"), *SRC.rglob("*.hpp"), *SRC.rglob("*.in")]
    read = {name for path in sources for name in READ.findall(path.read_text(encoding="utf-8"))}
    known = {setting.knob.name for setting in settings({}, {})}
    assert "STRETTO_VERBOSE" in read
    assert read - known == {SELECTION}  # followed by a collective's name
