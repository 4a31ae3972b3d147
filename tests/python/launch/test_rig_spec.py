"""Reading and writing what a rig is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stretto.errors import InputError
from stretto.launch.rig import RigSpec, parse_rig
from stretto.launch.rig.spec import MAX_DELAY_US, MAX_HOSTS, MAX_PPN, MAX_RATE_KBIT, MIN_RATE_KBIT


def test_reads_hosts_ranks_and_rate() -> None:
    assert parse_rig("4x2@1gbit") == RigSpec(hosts=4, ppn=2, rate_kbit=1_000_000)
    assert parse_rig(" 2x1@200Mbit,pin ") == RigSpec(2, 1, 200_000, pin=True)
    assert parse_rig("2x1@1gbit,delay=1.5ms") == RigSpec(2, 1, 1_000_000, delay_us=1500)
    assert parse_rig("2x1@1gbit,delay=10us,pin") == RigSpec(2, 1, 1_000_000, True, 10)
    assert parse_rig("1x1@2.5gbit").rate_kbit == 2_500_000


def test_counts_ranks_and_names_hosts() -> None:
    spec = parse_rig("3x4@1gbit")
    assert spec.ranks == 12
    assert spec.host_names == ["host0", "host1", "host2"]


@pytest.mark.parametrize(
    "nonsense",
    [
        *("", "4", "4x2", "4x2@", "x2@1gbit", "4x@1gbit", "4x2@1", "4x2@gbit", "4x2@1gb"),
        *("4x2@-1gbit", "-4x2@1gbit", "4.5x2@1gbit", "4,2@1gbit", "4x2@1gbit,pinned"),
        "4x2@1gbit 4x2@1gbit",
        *(
            "4x2@1gbit,delay=",
            "4x2@1gbit,delay=1",
            "4x2@1gbit,delay=-1ms",
            "4x2@1gbit,pin,delay=1ms",
        ),
    ],
)
def test_nonsense_is_an_input_error_that_shows_it(nonsense: str) -> None:
    with pytest.raises(InputError, match=r"for example|e\.g\."):
        parse_rig(nonsense)


@pytest.mark.parametrize(
    "extreme",
    [
        *("0x2@1gbit", "2x0@1gbit", "2x1@0gbit", "2x1@999kbit", "2x1@101gbit"),
        f"{MAX_HOSTS + 1}x1@1gbit",
        f"1x{MAX_PPN + 1}@1gbit",
        "2x1@1gbit,delay=2s",
    ],
)
def test_out_of_bounds_is_an_input_error_that_names_the_bound(extreme: str) -> None:
    with pytest.raises(InputError, match=r" 1 to | 1mbit to |at most 1s"):
        parse_rig(extreme)


@given(
    st.builds(
        RigSpec,
        hosts=st.integers(1, MAX_HOSTS),
        ppn=st.integers(1, MAX_PPN),
        rate_kbit=st.integers(MIN_RATE_KBIT, MAX_RATE_KBIT),
        pin=st.booleans(),
        delay_us=st.integers(0, MAX_DELAY_US),
    )
)
def test_what_is_printed_reads_back_the_same(spec: RigSpec) -> None:
    assert parse_rig(str(spec)) == spec


def test_numbers_of_any_length_are_refused() -> None:
    for text in ("9" * 5000 + "x1@1gbit", "2x1@" + "9" * 5000 + "gbit"):
        with pytest.raises(InputError):
            parse_rig(text)
