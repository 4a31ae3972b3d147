// Written by tests/generate/test_golden.py.

static int wrap_Init_thread(int (*real)(int*, char***, int, int*), int* argc, char*** argv,
                            int required, int* provided) {
  return on_Init_thread(real, argc, argv, required, provided);
}

static int wrap_Finalize(int (*real)()) {
  const Inside inside;
  return on_Finalize(real);
}

static int wrap_Query_thread(int (*real)(int*), void* caller, int* provided) {
  return on_Query_thread(real, caller, provided);
}

static int wrap_Bcast(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm), void* buffer, int count,
                      MPI_Datatype datatype, int root, MPI_Comm comm) {
  const Inside inside;
  if (const auto error = run_by_root(3, {.collective = Collective::bcast,
                                         .form = Form::blocking,
                                         .recvbuf = buffer,
                                         .recvcount = count,
                                         .recvtype = datatype,
                                         .root = root,
                                         .comm = comm}))
    return *error;
  if (goes_native(3, {.collective = Collective::bcast,
                      .form = Form::blocking,
                      .recvbuf = buffer,
                      .recvcount = count,
                      .recvtype = datatype,
                      .root = root,
                      .comm = comm})) {
    return real(buffer, count, datatype, root, comm);
  }
  return on_collective(3,
                       {.collective = Collective::bcast,
                        .form = Form::blocking,
                        .recvbuf = buffer,
                        .recvcount = count,
                        .recvtype = datatype,
                        .root = root,
                        .comm = comm},
                       nullptr, [=] { return real(buffer, count, datatype, root, comm); });
}

static int wrap_Ibcast(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*),
                       void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                       MPI_Request* request) {
  const Inside inside;
  if (goes_native(4, {.collective = Collective::bcast,
                      .form = Form::nonblocking,
                      .recvbuf = buffer,
                      .recvcount = count,
                      .recvtype = datatype,
                      .root = root,
                      .comm = comm})) {
    return real(buffer, count, datatype, root, comm, request);
  }
  return on_collective(4,
                       {.collective = Collective::bcast,
                        .form = Form::nonblocking,
                        .recvbuf = buffer,
                        .recvcount = count,
                        .recvtype = datatype,
                        .root = root,
                        .comm = comm},
                       request, [=] { return real(buffer, count, datatype, root, comm, request); });
}

static int wrap_Bcast_init(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info,
                                       MPI_Request*),
                           void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                           MPI_Info info, MPI_Request* request) {
  const Inside inside;
  return on_persistent(5,
                       {.collective = Collective::bcast,
                        .form = Form::persistent,
                        .recvbuf = buffer,
                        .recvcount = count,
                        .recvtype = datatype,
                        .root = root,
                        .comm = comm},
                       request, real != nullptr,
                       [=] { return real(buffer, count, datatype, root, comm, info, request); });
}

static int wrap_Neighbor_allgather(int (*real)(const void*, int, MPI_Datatype, void*, int,
                                               MPI_Datatype, MPI_Comm),
                                   const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm) {
  const Inside inside;
  if (goes_native(51, {.collective = Collective::neighbor_allgather,
                       .form = Form::blocking,
                       .sendbuf = sendbuf,
                       .sendcount = sendcount,
                       .sendtype = sendtype,
                       .recvbuf = recvbuf,
                       .recvcount = recvcount,
                       .recvtype = recvtype,
                       .comm = comm})) {
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  }
  return on_collective(
      51,
      {.collective = Collective::neighbor_allgather,
       .form = Form::blocking,
       .sendbuf = sendbuf,
       .sendcount = sendcount,
       .sendtype = sendtype,
       .recvbuf = recvbuf,
       .recvcount = recvcount,
       .recvtype = recvtype,
       .comm = comm},
      nullptr,
      [=] { return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

static int wrap_Irecv(int (*real)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*),
                      void* buf, int count, MPI_Datatype datatype, int source, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  return on_track(count, datatype, request,
                  [=] { return real(buf, count, datatype, source, tag, comm, request); });
}

static int wrap_Startall(int (*real)(int, MPI_Request*), int count, MPI_Request* requests) {
  const Inside inside;
  return on_Startall(real, count, requests);
}

static int wrap_Waitsome(int (*real)(int, MPI_Request*, int*, int*, MPI_Status*), int incount,
                         MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses) {
  const Inside inside;
  if (completes_natively()) return real(incount, requests, outcount, indices, statuses);
  return on_completion(Completion::waitsome(reinterpret_cast<void*>(real), incount, requests,
                                            outcount, indices, statuses));
}

static int wrap_Request_free(int (*real)(MPI_Request*), MPI_Request* request) {
  const Inside inside;
  return on_Request_free(real, request);
}

static int wrap_Comm_dup(int (*real)(MPI_Comm, MPI_Comm*), MPI_Comm comm, MPI_Comm* newcomm) {
  const Inside inside;
  return on_attach(comm, newcomm, [=] { return real(comm, newcomm); });
}

static int wrap_Comm_free(int (*real)(MPI_Comm*), MPI_Comm* comm) {
  const Inside inside;
  return on_Comm_free(real, comm);
}

static int wrap_File_open(int (*real)(MPI_Comm, const char*, int, MPI_Info, MPI_File*),
                          MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                          MPI_File* fh) {
  const Inside inside;
  return on_File_open(real, comm, filename, amode, info, fh);
}

static int wrap_Type_free(int (*real)(MPI_Datatype*), MPI_Datatype* datatype) {
  const Inside inside;
  return on_Type_free(real, datatype);
}

static int wrap_Op_free(int (*real)(MPI_Op*), MPI_Op* op) {
  const Inside inside;
  return on_Op_free(real, op);
}
