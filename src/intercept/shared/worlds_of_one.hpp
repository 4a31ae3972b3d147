// Whether the ranks that a launcher started found each other.
#pragma once

namespace stretto::intercept {

// To be called once the MPI has been initialized. Where the launcher of another MPI started the
// program its ranks do not: each is rank 0 of a world of its own, does all of the work, and writes
// the same files. One of them says so.
void say_if_worlds_of_one();

}  // namespace stretto::intercept
