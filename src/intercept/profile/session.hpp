// From the end of MPI_Init to the beginning of MPI_Finalize calls are counted.
#pragma once

namespace stretto::intercept::profile {

void begin_session();
void end_session();

}  // namespace stretto::intercept::profile
