#!/usr/bin/env bash
# Runs the tests of the native parts as one sanitizer preset built them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly preset=$1
readonly suppressions=$PWD/tests/mpi
export STRETTO_NATIVE_DIR=$PWD/build/$preset
export ASAN_OPTIONS=detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:suppressions=$suppressions/tsan.supp:second_deadlock_stack=1

# UCX, which MPICH brings, hooks the end of threads, when ThreadSanitizer has left them, and
# reads other processes' memory, which its interceptor takes for this one's.
export UCX_TLS=self,posix,tcp
export UCX_MEM_EVENTS=n UCX_MEM_MMAP_HOOK_MODE=none UCX_MEM_MALLOC_HOOKS=n

# gcc 12's ThreadSanitizer cannot map its shadow under the wide address randomisation
# of newer kernels. Some containers forbid turning it off; there it may still work.
fixed=()
if [ "$preset" = tsan ] && setarch --addr-no-randomize true 2>/dev/null; then
  fixed=(setarch --addr-no-randomize)
fi

# One thread has nothing to race with: the tsan preset has only those tests that know an MPI.
printf '%s\0' "build/$preset"/tests/stretto-unit* |
  xargs -0 -P "$(nproc)" -I TESTS "${fixed[@]}" env TESTS --gtest_brief=1
# MPIs leak by the hundred, in plugins that are unloaded when LeakSanitizer looks.
# The drop-in is preloaded before the sanitizer's library, which is no harm.
ASAN_OPTIONS+=:detect_leaks=0:verify_asan_link_order=0
"${fixed[@]}" .venv/bin/python -m pytest tests/mpi tests/differential -m sanitized \
  -n $(($(nproc) + 2)) --dist loadgroup
