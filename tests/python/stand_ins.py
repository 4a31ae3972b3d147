"""A launcher, a native build, a program and a plan that stand in for the real ones."""

from pathlib import Path

from stretto.data.run_folder import Plan

# Speaks as Open MPI's mpirun does and runs one rank. A preloaded library would have to be
# a real one, so the rank is told in words that it runs under Stretto.
MPIRUN = """#!/bin/bash
if [ "$1" = --version ]; then echo 'mpirun (Open MPI) 4.1.4'; exit 0; fi
while [[ "$1" == -* ]]; do
  case "$1" in
    -n) shift 2 ;;
    -x) case "$2" in LD_PRELOAD=*) export UNDER_STRETTO=1 ;; *) export "$2" ;; esac; shift 2 ;;
    *) shift ;;
  esac
done
"$@"
"""

SCHEDULE_TOOL = """#!/bin/sh
claims='"keeps_rank_order": true, "uses_segment": false, "uses_radix": false, "single_blocks": true'
claims="$claims"', "two_groups": false, "uses_layout": false'
echo "{\\"collective\\": \\"bcast\\", \\"algorithm\\": \\"binomial\\", $claims}"
echo "{\\"collective\\": \\"allreduce\\", \\"algorithm\\": \\"ring\\", $claims}"
"""

# Behaves as its first argument says, and writes counters as the drop-in would.
PROGRAM = """#!/bin/bash
case "$1" in
  fail) exit 3 ;;
  hang) sleep 600 & sleep 600 ;;
  differ) echo "checksum ${UNDER_STRETTO:-0}" ;;
  *) echo "checksum 1f2e" ;;
esac
echo "time 0.${UNDER_STRETTO:-2}5 s"
if [ -n "$STRETTO_RUN_COUNTERS" ]; then
  cat > "$STRETTO_RUN_COUNTERS/rank-0.json" <<END
{"rank": 0, "size": 1, "abi": "openmpi", "mpi": "Open MPI v4.1.4", "thread_level": "multiple",
 "hosts": 1, "oversubscribed": false,
 "handled": [{"call": "MPI_Ibcast", "algorithm": "binomial", "calls": 12}],
 "passed": [{"call": "MPI_Allreduce", "reason": "expected to be faster", "calls": 3}],
 "schedules_built": 1, "schedules_reused": 11, "progress_wakeups": 17}
END
fi
"""


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


PLAN = Plan(
    name="app",
    program=["./app"],
    ranks=2,
    runs=1,
    rig=None,
    timeout_s=None,
    settings={},
    launcher="Open MPI 4.1.4 (/usr/bin/mpirun)",
    time_pattern="t",
    checksum_pattern="c",
)
