import pytest

from stretto.data.samples import CHECKSUM_PATTERN, TIME_PATTERN, checksum, compiled, own_time
from stretto.errors import InputError

TIME = compiled("--time-pattern", TIME_PATTERN)
CHECKSUM = compiled("--checksum-pattern", CHECKSUM_PATTERN)


def test_time_and_checksum_are_found_between_other_lines() -> None:
    output = "runtime 7 s\nchecksum 1f2e3d\nsome time 9 s\ntime 1.25e-1 s\n"
    assert own_time(output, TIME) == 0.125
    assert checksum(output, CHECKSUM) == "1f2e3d"


def test_the_last_time_counts_and_every_checksum() -> None:
    output = "time 1 s\nchecksum a\ntime 2 s\nchecksum b\n"
    assert own_time(output, TIME) == 2
    assert checksum(output, CHECKSUM) == "a b"


@pytest.mark.parametrize("output", ["", "time 3 steps\n", "checksum:\n"])
def test_nothing_is_found_where_nothing_is(output: str) -> None:
    assert own_time(output, TIME) is None
    assert checksum(output, CHECKSUM) is None


@pytest.mark.parametrize("pattern", ["(", "no group", "(two) (groups)"])
def test_a_faulty_pattern_names_its_option(pattern: str) -> None:
    with pytest.raises(InputError, match="--time-pattern"):
        compiled("--time-pattern", pattern)


def test_a_time_that_is_no_number_is_the_patterns_fault() -> None:
    with pytest.raises(InputError, match="'fast'"):
        own_time("took fast", compiled("--time-pattern", r"took (\w+)"))
