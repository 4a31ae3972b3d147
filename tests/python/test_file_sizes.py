"""No source file grows beyond what one can hold in mind."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENDINGS = ("c", "cpp", "h", "hpp", "in", "py", "f", "f90", "sh", "cmake", "j2")
SOURCES = [f"*.{ending}" for ending in ENDINGS]
MOST_LINES = 400


def lines_of(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


def too_long(paths: list[Path]) -> list[str]:
    return [f"{path}: {lines}" for path in paths if (lines := lines_of(path)) > MOST_LINES]


def test_no_source_file_is_over_400_lines() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *SOURCES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    paths = [ROOT / name for name in listed if name and (ROOT / name).is_file()]
    assert Path(__file__) in paths
    assert too_long(paths) == []


def test_a_file_of_401_lines_is_found(tmp_path: Path) -> None:
    (tmp_path / "enough.cpp").write_text("\n" * 400)
    (tmp_path / "long.cpp").write_text("\n" * 401)
    found = too_long([tmp_path / "enough.cpp", tmp_path / "long.cpp"])
    assert found == [f"{tmp_path / 'long.cpp'}: 401"]
