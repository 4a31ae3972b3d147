// Written by tests/generate/test_golden.py.

static int wrap_Init_thread(int (*real)(int*, char***, int, int*), int* argc, char*** argv,
                            int required, int* provided) {
  return after_init(real(argc, argv, required, provided), kRankSettings, begin_session);
}

static int wrap_Finalize(int (*real)()) {
  end_session();
  return real();
}

static int wrap_Bcast(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm), void* caller,
                      void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const Inside inside;
  const Timed timed(3, caller, comm,
                    traffic_of(Call{.collective = Collective::bcast,
                                    .form = Form::blocking,
                                    .recvbuf = buffer,
                                    .recvcount = count,
                                    .recvtype = datatype,
                                    .root = root,
                                    .comm = comm}));
  return real(buffer, count, datatype, root, comm);
}

static int wrap_Ibcast(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Request*),
                       void* caller, void* buffer, int count, MPI_Datatype datatype, int root,
                       MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Timed timed(4, caller, comm,
              traffic_of(Call{.collective = Collective::bcast,
                              .form = Form::nonblocking,
                              .recvbuf = buffer,
                              .recvcount = count,
                              .recvtype = datatype,
                              .root = root,
                              .comm = comm}));
  return timed.starts(real(buffer, count, datatype, root, comm, request), request);
}

static int wrap_Bcast_init(int (*real)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info,
                                       MPI_Request*),
                           void* caller, void* buffer, int count, MPI_Datatype datatype, int root,
                           MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  const Inside inside;
  const Timed timed(5, caller, comm,
                    traffic_of(Call{.collective = Collective::bcast,
                                    .form = Form::persistent,
                                    .recvbuf = buffer,
                                    .recvcount = count,
                                    .recvtype = datatype,
                                    .root = root,
                                    .comm = comm}));
  return real(buffer, count, datatype, root, comm, info, request);
}

static int wrap_Neighbor_allgather(int (*real)(const void*, int, MPI_Datatype, void*, int,
                                               MPI_Datatype, MPI_Comm),
                                   void* caller, const void* sendbuf, int sendcount,
                                   MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                   MPI_Datatype recvtype, MPI_Comm comm) {
  const Inside inside;
  const Timed timed(51, caller, comm,
                    traffic_of(Call{.collective = Collective::neighbor_allgather,
                                    .form = Form::blocking,
                                    .sendbuf = sendbuf,
                                    .sendcount = sendcount,
                                    .sendtype = sendtype,
                                    .recvbuf = recvbuf,
                                    .recvcount = recvcount,
                                    .recvtype = recvtype,
                                    .comm = comm}));
  return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

static int wrap_Send(int (*real)(const void*, int, MPI_Datatype, int, int, MPI_Comm), void* caller,
                     const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm) {
  const Inside inside;
  Timed timed(101, caller, comm, Traffic{dest == MPI_PROC_NULL ? 0 : bytes_of(count, datatype)});
  timed.sends(dest, tag);
  return real(buf, count, datatype, dest, tag, comm);
}

static int wrap_Irecv(int (*real)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*),
                      void* caller, void* buf, int count, MPI_Datatype datatype, int source,
                      int tag, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Timed timed(100, caller, comm, Traffic{source == MPI_PROC_NULL ? 0 : bytes_of(count, datatype)});
  timed.receives(source, tag);
  return timed.starts(real(buf, count, datatype, source, tag, comm, request), request);
}

static int wrap_Sendrecv(int (*real)(const void*, int, MPI_Datatype, int, int, void*, int,
                                     MPI_Datatype, int, int, MPI_Comm, MPI_Status*),
                         void* caller, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                         int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                         int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  const Inside inside;
  Timed timed(106, caller, comm,
              Traffic{dest == MPI_PROC_NULL ? 0 : bytes_of(sendcount, sendtype)});
  MPI_Status own{};
  timed.sends(dest, sendtag);
  if (timed.receives(source, recvtag) && status == MPI_STATUS_IGNORE) status = &own;
  return timed.ends(real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                         source, recvtag, comm, status),
                    status);
}

static int wrap_Send_init_c(int (*real)(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                                        MPI_Request*),
                            void* caller, const void* buf, MPI_Count count, MPI_Datatype datatype,
                            int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  const Inside inside;
  Timed timed(111, caller, comm, Traffic{dest == MPI_PROC_NULL ? 0 : bytes_of(count, datatype)});
  timed.sends(dest, tag);
  return timed.prepares(real(buf, count, datatype, dest, tag, comm, request), request);
}

static int wrap_Startall(int (*real)(int, MPI_Request*), void* caller, int count,
                         MPI_Request* requests) {
  const Inside inside;
  Timed timed(80, caller, native().comm_null);
  return timed.starts_again(real(count, requests), requests, count);
}

static int wrap_Iprobe(int (*real)(int, int, MPI_Comm, int*, MPI_Status*), void* caller, int source,
                       int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Inside inside;
  const Timed timed(119, caller, comm);
  return real(source, tag, comm, flag, status);
}

static int wrap_Waitsome(int (*real)(int, MPI_Request*, int*, int*, MPI_Status*), void* caller,
                         int incount, MPI_Request* requests, int* outcount, int* indices,
                         MPI_Status* statuses) {
  const Inside inside;
  return on_completion(72, caller,
                       Completion::waitsome(reinterpret_cast<void*>(real), incount, requests,
                                            outcount, indices, statuses));
}

static int wrap_Request_free(int (*real)(MPI_Request*), void* caller, MPI_Request* request) {
  const Inside inside;
  Completing timed(78, caller, 1, request);
  return timed.frees(real(request));
}

static int wrap_Buffer_detach(int (*real)(void*, int*), void* caller, void* buffer, int* size) {
  const Inside inside;
  const Timed timed(208, caller, native().comm_null);
  return real(buffer, size);
}

static int wrap_Comm_dup(int (*real)(MPI_Comm, MPI_Comm*), void* caller, MPI_Comm comm,
                         MPI_Comm* newcomm) {
  const Inside inside;
  const Timed timed(82, caller, comm);
  return real(comm, newcomm);
}

static int wrap_Comm_idup(int (*real)(MPI_Comm, MPI_Comm*, MPI_Request*), void* caller,
                          MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  const Inside inside;
  Timed timed(116, caller, comm);
  return timed.starts(real(comm, newcomm, request), request);
}

static int wrap_Comm_free(int (*real)(MPI_Comm*), void* caller, MPI_Comm* comm) {
  const Inside inside;
  const Timed timed(95, caller, native().comm_null);
  return real(comm);
}

static int wrap_Comm_spawn(int (*real)(const char*, char**, int, MPI_Info, int, MPI_Comm, MPI_Comm*,
                                       int*),
                           void* caller, const char* command, char** argv, int maxprocs,
                           MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm,
                           int* errcodes) {
  const Inside inside;
  const Timed timed(203, caller, comm);
  return real(command, argv, maxprocs, info, root, comm, intercomm, errcodes);
}

static int wrap_Win_create(int (*real)(void*, MPI_Aint, int, MPI_Info, MPI_Comm, MPI_Win*),
                           void* caller, void* base, MPI_Aint size, int disp_unit, MPI_Info info,
                           MPI_Comm comm, MPI_Win* win) {
  const Inside inside;
  const Timed timed(124, caller, comm);
  return timed.makes(real(base, size, disp_unit, info, comm, win), win);
}

static int wrap_Win_fence(int (*real)(int, MPI_Win), void* caller, int assertion, MPI_Win win) {
  const Inside inside;
  const Timed timed(141, caller, Owners<MPI_Win>::get().of(win));
  return real(assertion, win);
}

static int wrap_Win_post(int (*real)(MPI_Group, int, MPI_Win), void* caller, MPI_Group group,
                         int assertion, MPI_Win win) {
  const Inside inside;
  const Timed timed(142, caller, Owners<MPI_Win>::get().of(win));
  return real(group, assertion, win);
}

static int wrap_Put(int (*real)(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype,
                                MPI_Win),
                    void* caller, const void* origin_addr, int origin_count,
                    MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                    int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  const Inside inside;
  Timed timed(131, caller, Owners<MPI_Win>::get().of(win),
              Traffic{target_rank == MPI_PROC_NULL ? 0 : bytes_of(origin_count, origin_datatype)});
  timed.accesses(target_rank);
  return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
              target_datatype, win);
}

static int wrap_File_open(int (*real)(MPI_Comm, const char*, int, MPI_Info, MPI_File*),
                          void* caller, MPI_Comm comm, const char* filename, int amode,
                          MPI_Info info, MPI_File* fh) {
  const Inside inside;
  const Timed timed(81, caller, comm);
  return timed.makes(real(comm, filename, amode, info, fh), fh);
}

static int wrap_File_read_all(int (*real)(MPI_File, void*, int, MPI_Datatype, MPI_Status*),
                              void* caller, MPI_File fh, void* buf, int count,
                              MPI_Datatype datatype, MPI_Status* status) {
  const Inside inside;
  const Timed timed(171, caller, Owners<MPI_File>::get().of(fh),
                    Traffic{bytes_of(count, datatype)});
  return real(fh, buf, count, datatype, status);
}
