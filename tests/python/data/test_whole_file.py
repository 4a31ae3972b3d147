"""Files that verbs write are the old ones or the new ones, whole."""

import ast
import errno
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tuned import of, tuned

from stretto.data.whole_file import put_whole
from stretto.tune.rules import Rule, toml_of

PACKAGE = Path(__file__).resolve().parents[3] / "python" / "stretto"
# They write into folders that are theirs, for programs that they start afterwards.
FOR_THEIR_OWN = {
    "data/whole_file.py",
    "native/simulations.py",
    "launch/rig/holder.py",
    "launch/bench.py",
    "launch/tuning.py",
}


def refused(code: int) -> OSError:
    return OSError(code, os.strerror(code))


def test_all_verbs_write_whole_files() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("write_text", "write_bytes")
    }
    assert found == FOR_THEIR_OWN


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EINVAL])  # the second is no group's fault
def test_a_disk_that_takes_nothing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    file = tmp_path / "machine.toml"
    put_whole(file, b"old")

    def failed(_: int) -> None:
        raise refused(error)

    monkeypatch.setattr(os, "fsync", failed)
    with pytest.raises(OSError, match=os.strerror(error)):
        put_whole(file, b"new")
    assert file.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [file]


def test_a_kill_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "machine.toml"
    put_whole(file, b"old")
    code = (
        "import os, sys; from pathlib import Path; from stretto.data import whole_file;"
        "os.fsync = lambda fd: os.kill(os.getpid(), 9);"
        f"whole_file.put_whole(Path({str(file)!r}), b'new')"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", code], env=env, check=False).returncode == -9
    assert file.read_bytes() == b"old"


def test_a_verb_that_may_write_no_more_leaves_the_old_file(tmp_path: Path) -> None:
    rules = tmp_path / "tuned.toml"
    chain = of("bcast", 2, [Rule("chain")])
    rules.write_text(toml_of(tuned("Open MPI 4.1.4", chain)))
    file = tmp_path / "rules.conf"
    file.write_text("theirs " * 100)
    words = ["export", str(rules), "--to", "openmpi", "-o", str(file)]
    code = f"import sys; sys.argv[1:] = {words}; from stretto.cli.main import main; main()"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=env, check=False, capture_output=True, preexec_fn=limit
    )
    assert (ended.returncode, b"File too large" in ended.stderr) == (5, True), ended.stderr
    assert file.read_text() == "theirs " * 100


def test_links_and_rights_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to("file")
    put_whole(link, b"new")
    assert link.is_symlink()
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    before = os.umask(0o027)
    try:
        put_whole(tmp_path / "other", b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "other").stat().st_mode & 0o777 == 0o640


def test_the_longest_name(tmp_path: Path) -> None:
    file = tmp_path / ("ł" * 127)
    put_whole(file, b"new")
    assert file.read_bytes() == b"new"


def test_what_is_no_file_is_written_in_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    put_whole(pipe, b"new")
    reader.join()
    assert found == [b"new"]


@pytest.mark.parametrize("code", [errno.EACCES, errno.EBUSY])
def test_what_cannot_be_replaced_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def mounted(*_: Path) -> Path:
        raise refused(code)

    monkeypatch.setattr(Path, "replace", mounted)
    put_whole(file, b"new")
    assert file.read_bytes() == b"new"
    assert [*tmp_path.iterdir()] == [file]


def test_what_has_two_names_keeps_them(tmp_path: Path) -> None:
    file, other = tmp_path / "a", tmp_path / "b"
    put_whole(file, b"old")
    other.hardlink_to(file)
    put_whole(file, b"new")
    assert other.read_bytes() == b"new"


def test_what_may_not_be_written_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a"
    put_whole(file, b"old")
    # Whoever the tests run as: root may write everything.
    monkeypatch.setattr(os, "access", lambda *_: False)

    def refuse(path: Path, _: bytes) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(PermissionError):
        put_whole(file, b"new")
    assert file.read_bytes() == b"old"


@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_what_is_printed_into_gets_it_after_what_was_printed(tmp_path: Path, mode: str) -> None:
    file = tmp_path / "out"
    file.write_bytes(b"kept\n")
    code = (
        "from pathlib import Path; from stretto.data.whole_file import put_whole;"
        "print('before'); put_whole(Path('/dev/stdout'), b'new\\n'); print('after')"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    env.pop("PYTHONUNBUFFERED", None)
    with file.open(mode) as out:
        subprocess.run([sys.executable, "-c", code], env=env, check=True, stdout=out)
    kept = b"kept\n" if mode == "ab" else b""
    assert file.read_bytes() == kept + b"before\nnew\nafter\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to other groups")
def test_its_group_stays(tmp_path: Path) -> None:
    file = tmp_path / "file"
    put_whole(file, b"old")
    os.chown(file, -1, 12345)
    file.chmod(0o2660)
    put_whole(file, b"new")
    found = file.stat()
    assert (file.read_bytes(), found.st_gid, found.st_mode & 0o7777) == (b"new", 12345, 0o2660)


def test_attributes_stay(tmp_path: Path) -> None:
    file = tmp_path / "file"
    put_whole(file, b"old")
    try:
        os.setxattr(file, "user.source", b"a run")
    except OSError as error:
        pytest.skip(f"this file system has no attributes: {error.strerror}")
    put_whole(file, b"new")
    assert (file.read_bytes(), os.getxattr(file, "user.source")) == (b"new", b"a run")


def test_nobody_reads_meanwhile_what_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    put_whole(file, b"old")
    file.chmod(0o600)
    seen: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: seen.append(os.fstat(fd).st_mode & 0o777))
    put_whole(file, b"new")
    assert seen == [0o600]
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("is_own", [False, True])
def test_of_an_access_control_list_that_each_file_has_its_own_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_own: bool
) -> None:
    """As on NFS, whose list is what the rights are where nobody gave another one."""
    file = tmp_path / "file"
    put_whole(file, b"old")
    before = file.stat().st_ino

    def said(path: Path, name: str) -> bytes:
        assert name == "system.nfs4_acl"
        return b"mine" if is_own and path.name == "file" else b"the folder's"

    monkeypatch.setattr(os, "listxattr", lambda _: ["system.nfs4_acl", "lustre.lov"])
    monkeypatch.setattr(os, "getxattr", said)
    with file.open("rb"):  # so that its number is not used again
        put_whole(file, b"new")
    assert file.read_bytes() == b"new"
    assert (file.stat().st_ino == before) == is_own
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to other groups")
def test_a_group_that_a_container_does_not_know_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    put_whole(file, b"old")
    os.chown(file, -1, 12345)

    def unknown(*_: object) -> None:
        raise refused(errno.EINVAL)

    monkeypatch.setattr(os, "chown", unknown)
    put_whole(file, b"new")
    assert (file.read_bytes(), file.stat().st_gid) == (b"new", 12345)
    assert [*tmp_path.iterdir()] == [file]
