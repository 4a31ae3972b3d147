// Written by tests/generate/test_golden.py.

static int wrap_Bcast(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm), void* caller,
                      void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const Inside inside;
  return on_collective(Call{.collective = Collective::bcast,
                            .form = Form::blocking,
                            .recvbuf = buffer,
                            .recvcount = count,
                            .recvtype = datatype,
                            .root = root,
                            .comm = comm},
                       "MPI_Bcast", caller,
                       [=] { return real(buffer, count, datatype, root, comm); });
}

static int wrap_Ibcast(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*),
                       void* caller, void* buffer, int count, MPI_Datatype datatype, int root,
                       MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  return on_start(Call{.collective = Collective::bcast,
                       .form = Form::nonblocking,
                       .recvbuf = buffer,
                       .recvcount = count,
                       .recvtype = datatype,
                       .root = root,
                       .comm = comm},
                  "MPI_Ibcast", caller, request,
                  [=] { return real(buffer, count, datatype, root, comm, request); });
}

static int wrap_Bcast_init(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info,
                                       MPI_Request*),
                           void* caller, void* buffer, int count, MPI_Datatype datatype, int root,
                           MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Inside inside;
  if (real == nullptr) static_cast<void>(existing_function("PMPI_Bcast_init"));
  return on_initialized(Call{.collective = Collective::bcast,
                             .form = Form::persistent,
                             .recvbuf = buffer,
                             .recvcount = count,
                             .recvtype = datatype,
                             .root = root,
                             .comm = comm},
                        "MPI_Bcast_init", caller, request,
                        [=] { return real(buffer, count, datatype, root, comm, info, request); });
}

static int wrap_Neighbor_allgather(int (*real)(const void*, int, MPI_Datatype, void*, int,
                                               MPI_Datatype, MPI_Comm),
                                   void* caller, const void* sendbuf, int sendcount,
                                   MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                   MPI_Datatype recvtype, MPI_Comm comm) {
  const Inside inside;
  return on_neighborhood(
      Call{.collective = Collective::neighbor_allgather,
           .form = Form::blocking,
           .sendbuf = sendbuf,
           .sendcount = sendcount,
           .sendtype = sendtype,
           .recvbuf = recvbuf,
           .recvcount = recvcount,
           .recvtype = recvtype,
           .comm = comm},
      "MPI_Neighbor_allgather", caller,
      [=] { return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); },
      [=](MPI_Request* request_) {
        static const auto start =
            real_function<decltype(&PMPI_Ineighbor_allgather)>("PMPI_Ineighbor_allgather");
        return start(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request_);
      });
}

static int wrap_Send(int (*real)(const void*, int, MPI_Datatype, int, int, MPI_Comm),
                     const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm) {
  const Inside inside;
  return on_send(
      count, datatype, dest, tag, comm, [=] { return real(buf, count, datatype, dest, tag, comm); },
      [=](MPI_Request* request_) {
        return native().Isend(buf, static_cast<int>(count), datatype, dest, tag, comm, request_);
      });
}

static int wrap_Irecv(int (*real)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*),
                      void* buf, int count, MPI_Datatype datatype, int source, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  return on_irecv(source, tag, comm, request,
                  [=] { return real(buf, count, datatype, source, tag, comm, request); });
}

static int wrap_Sendrecv(int (*real)(const void*, int, MPI_Datatype, int, int, void*, int,
                                     MPI_Datatype, int, int, MPI_Comm, MPI_Status*),
                         const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                         int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                         int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  const Inside inside;
  return on_sendrecv(
      sendcount, sendtype, dest, sendtag, source, recvtag, comm, status,
      [=](MPI_Status* status_) {
        return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                    source, recvtag, comm, status_);
      },
      [=](MPI_Request* both_) {
        if (recvcount > INT_MAX) return false;
        native().Irecv(recvbuf, static_cast<int>(recvcount), recvtype, source, recvtag, comm,
                       &both_[0]);
        native().Isend(sendbuf, static_cast<int>(sendcount), sendtype, dest, sendtag, comm,
                       &both_[1]);
        return true;
      });
}

static int wrap_Send_init_c(int (*real)(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                                        MPI_Request*),
                            const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int tag, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  return on_persistent(true, bytes_of(count, datatype), dest, tag, comm, request,
                       [=] { return real(buf, count, datatype, dest, tag, comm, request); });
}

static int wrap_Startall(int (*real)(int, MPI_Request*), int count, MPI_Request* requests) {
  const Inside inside;
  return on_Startall(real, count, requests);
}

static int wrap_Iprobe(int (*real)(int, int, MPI_Comm, int*, MPI_Status*), int source, int tag,
                       MPI_Comm comm, int* flag, MPI_Status* status) {
  const Inside inside;
  return on_iprobe(source, comm, flag, nullptr, status,
                   [=](MPI_Status* status_) { return real(source, tag, comm, flag, status_); });
}

static int wrap_Waitsome(int (*real)(int, MPI_Request*, int*, int*, MPI_Status*), int incount,
                         MPI_Request* requests, int* outcount, int* indices, MPI_Status* statuses) {
  const Inside inside;
  return on_completion(Completion::waitsome(reinterpret_cast<void*>(real), incount, requests,
                                            outcount, indices, statuses));
}

static int wrap_Request_free(int (*real)(MPI_Request*), MPI_Request* request) {
  const Inside inside;
  return on_Request_free(real, request);
}

static int wrap_Buffer_detach(int (*real)(void*, int*), void* buffer, int* size) {
  const Inside inside;
  return on_alone("MPI_Buffer_detach", [=] { return real(buffer, size); });
}

static int wrap_Comm_dup(int (*real)(MPI_Comm, MPI_Comm*), void* caller, MPI_Comm comm,
                         MPI_Comm* newcomm) {
  const Inside inside;
  return on_attach(comm, newcomm, "MPI_Comm_dup", caller, [=] { return real(comm, newcomm); });
}

static int wrap_Comm_idup(int (*real)(MPI_Comm, MPI_Comm*, MPI_Request*), void* caller,
                          MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  const Inside inside;
  return on_idup(comm, newcomm, request, "MPI_Comm_idup", caller,
                 [=] { return real(comm, newcomm, request); });
}

static int wrap_Comm_spawn(int (*real)(const char*, char**, int, MPI_Info, int, MPI_Comm, MPI_Comm*,
                                       int*),
                           void* caller, const char* command, char** argv, int maxprocs,
                           MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm,
                           int* errcodes) {
  const Inside inside;
  return on_together(Process::get().comms.find(comm), "MPI_Comm_spawn", caller, [=] {
    return real(command, argv, maxprocs, info, root, comm, intercomm, errcodes);
  });
}

static int wrap_Win_create(int (*real)(void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*),
                           void* caller, void* base, MPI_Aint size, int disp_unit, MPI_Info info,
                           MPI_Comm comm, MPI_Win* win) {
  const Inside inside;
  return on_made(comm, win, "MPI_Win_create", caller,
                 [=] { return real(base, size, disp_unit, info, comm, win); });
}

static int wrap_Win_fence(int (*real)(int, MPI_Win), void* caller, int assertion, MPI_Win win) {
  const Inside inside;
  return on_together(Objects::get().of(key_of(win)), "MPI_Win_fence", caller,
                     [=] { return real(assertion, win); });
}

static int wrap_Win_post(int (*real)(MPI_Group, int, MPI_Win), MPI_Group group, int assertion,
                         MPI_Win win) {
  const Inside inside;
  return on_Win_post(group, win, [=] { return real(group, assertion, win); });
}

static int wrap_Put(int (*real)(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
                                MPI_Win),
                    const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Win win) {
  const Inside inside;
  return on_local("MPI_Put", [=] {
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win);
  });
}

static int wrap_File_open(int (*real)(MPI_Comm, const char*, int, MPI_Info, MPI_File*),
                          void* caller, MPI_Comm comm, const char* filename, int amode,
                          MPI_Info info, MPI_File* fh) {
  const Inside inside;
  return on_made(comm, fh, "MPI_File_open", caller,
                 [=] { return real(comm, filename, amode, info, fh); });
}

static int wrap_File_read_all(int (*real)(MPI_File, void*, int, MPI_Datatype, MPI_Status*),
                              void* caller, MPI_File fh, void* buf, int count,
                              MPI_Datatype datatype, MPI_Status* status) {
  const Inside inside;
  return on_together(Objects::get().of(key_of(fh)), "MPI_File_read_all", caller,
                     [=] { return real(fh, buf, count, datatype, status); });
}
