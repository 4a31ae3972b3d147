// MPI_Wait, MPI_Test and their kind, and what else becomes of requests.
#pragma once

#include "intercept/shared/entry.hpp"
#include "mpi/completion.hpp"
#include "mpi/native.hpp"

namespace stretto::intercept::whatif {

int on_completion(const Completion& theirs);

inline int on_Wait(decltype(&PMPI_Wait) real, MPI_Request* request, MPI_Status* status) {
  return on_completion(Completion::wait(reinterpret_cast<void*>(real), request, status));
}
inline int on_Test(decltype(&PMPI_Test) real, MPI_Request* request, int* flag, MPI_Status* status) {
  return on_completion(Completion::test(reinterpret_cast<void*>(real), request, flag, status));
}
inline int on_Waitall(decltype(&PMPI_Waitall) real, int count, MPI_Request* requests,
                      MPI_Status* statuses) {
  return on_completion(
      Completion::waitall(reinterpret_cast<void*>(real), count, requests, statuses));
}
inline int on_Testall(decltype(&PMPI_Testall) real, int count, MPI_Request* requests, int* flag,
                      MPI_Status* statuses) {
  return on_completion(
      Completion::testall(reinterpret_cast<void*>(real), count, requests, flag, statuses));
}
inline int on_Waitany(decltype(&PMPI_Waitany) real, int count, MPI_Request* requests, int* index,
                      MPI_Status* status) {
  return on_completion(
      Completion::waitany(reinterpret_cast<void*>(real), count, requests, index, status));
}
inline int on_Testany(decltype(&PMPI_Testany) real, int count, MPI_Request* requests, int* index,
                      int* flag, MPI_Status* status) {
  return on_completion(
      Completion::testany(reinterpret_cast<void*>(real), count, requests, index, flag, status));
}
inline int on_Waitsome(decltype(&PMPI_Waitsome) real, int incount, MPI_Request* requests,
                       int* outcount, int* indices, MPI_Status* statuses) {
  return on_completion(Completion::waitsome(reinterpret_cast<void*>(real), incount, requests,
                                            outcount, indices, statuses));
}
inline int on_Testsome(decltype(&PMPI_Testsome) real, int incount, MPI_Request* requests,
                       int* outcount, int* indices, MPI_Status* statuses) {
  return on_completion(Completion::testsome(reinterpret_cast<void*>(real), incount, requests,
                                            outcount, indices, statuses));
}
int on_Request_get_status(decltype(&PMPI_Request_get_status) real, MPI_Request request, int* flag,
                          MPI_Status* status);
int on_Request_free(decltype(&PMPI_Request_free) real, MPI_Request* request);
int on_Start(decltype(&PMPI_Start) real, MPI_Request* request);
int on_Startall(decltype(&PMPI_Startall) real, int count, MPI_Request requests[]);

}  // namespace stretto::intercept::whatif
