"""What goes from the guardian to the process that started it."""

import pytest

from stretto.launch.deaths import Lost
from stretto.launch.guardian_report import GuardianReport

REPORTS = [
    GuardianReport(
        exit_code=-9, wall_s=1.5, lost=Lost(3, 17, "host", aborts=9), running=(0, 2), left=(7,)
    ),
    GuardianReport(not_started="./app: No such file"),
]


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_arrives_as_it_was_sent(report: GuardianReport) -> None:
    assert GuardianReport.decode(report.encode()) == report


@pytest.mark.parametrize("cut", [0, 1, -1])
def test_a_report_that_is_cut_short_is_none(cut: int) -> None:
    assert GuardianReport.decode(REPORTS[0].encode()[:cut]) is None
