// Written by tests/generate/test_golden.py.

static constinit std::atomic<void*> straight_Bcast{nullptr};
[[gnu::always_inline]] static inline bool is_direct_Bcast([[maybe_unused]] void* buffer,
                                                          [[maybe_unused]] int count,
                                                          [[maybe_unused]] MPI_Datatype datatype,
                                                          [[maybe_unused]] int root,
                                                          [[maybe_unused]] MPI_Comm comm) {
  return goes_straight(3, {.collective = Collective::bcast,
                           .form = Form::blocking,
                           .recvbuf = buffer,
                           .recvcount = count,
                           .recvtype = datatype,
                           .root = root,
                           .comm = comm});
}
[[gnu::always_inline]] static inline const Reached& reached_Bcast() {
  static const Reached reached = reach("MPI_Bcast", &straight_Bcast);
  return reached;
}
static Word act_Bcast(const Reached& what, [[maybe_unused]] void* caller, Word w0, Word w1, Word w2,
                      Word w3, Word w4) {
  if (!is_active(caller))
    return reinterpret_cast<Word (*)(Word w0, Word w1, Word w2, Word w3, Word w4)>(what.real)(
        w0, w1, w2, w3, w4);
  return wrap_Bcast(reinterpret_cast<int (*)(void*, int, MPI_Datatype, int, MPI_Comm)>(what.real),
                    from_word<void*>(w0), from_word<int>(w1), from_word<MPI_Datatype>(w2),
                    from_word<int>(w3), from_word<MPI_Comm>(w4));
}
STRETTO_ENTRY Word enter_Bcast(Word w0, Word w1, Word w2, Word w3, Word w4) __asm__("MPI_Bcast");
STRETTO_ENTRY Word enter_PBcast(Word w0, Word w1, Word w2, Word w3, Word w4) __asm__("PMPI_Bcast");
[[gnu::noinline]] static Word apart_Bcast(void* caller, Word w0, Word w1, Word w2, Word w3,
                                          Word w4) {
  return enter(reached_Bcast(), caller, act_Bcast, w0, w1, w2, w3, w4);
}
Word enter_Bcast(Word w0, Word w1, Word w2, Word w3, Word w4) {
  void* const real = straight_Bcast.load(std::memory_order_acquire);
  if (real != nullptr &&
      is_direct_Bcast(from_word<void*>(w0), from_word<int>(w1), from_word<MPI_Datatype>(w2),
                      from_word<int>(w3), from_word<MPI_Comm>(w4))) [[likely]] {
    const Inside inside;
    return reinterpret_cast<Word (*)(Word w0, Word w1, Word w2, Word w3, Word w4)>(real)(w0, w1, w2,
                                                                                         w3, w4);
  }
  return apart_Bcast(__builtin_return_address(0), w0, w1, w2, w3, w4);
}
[[gnu::noinline]] static Word apart_PBcast(void* caller, Word w0, Word w1, Word w2, Word w3,
                                           Word w4) {
  return enter_profiled(reached_Bcast(), caller, act_Bcast, w0, w1, w2, w3, w4);
}
Word enter_PBcast(Word w0, Word w1, Word w2, Word w3, Word w4) {
  void* const real = straight_Bcast.load(std::memory_order_acquire);
  if (real != nullptr &&
      is_direct_Bcast(from_word<void*>(w0), from_word<int>(w1), from_word<MPI_Datatype>(w2),
                      from_word<int>(w3), from_word<MPI_Comm>(w4))) [[likely]] {
    const Inside inside;
    return reinterpret_cast<Word (*)(Word w0, Word w1, Word w2, Word w3, Word w4)>(real)(w0, w1, w2,
                                                                                         w3, w4);
  }
  return apart_PBcast(__builtin_return_address(0), w0, w1, w2, w3, w4);
}

static constinit std::atomic<void*> straight_Waitsome{nullptr};
[[gnu::always_inline]] static inline bool is_direct_Waitsome(
    [[maybe_unused]] int incount, [[maybe_unused]] MPI_Request* requests,
    [[maybe_unused]] int* outcount, [[maybe_unused]] int* indices,
    [[maybe_unused]] MPI_Status* statuses) {
  return needs_no_attention();
}
[[gnu::always_inline]] static inline const Reached& reached_Waitsome() {
  static const Reached reached = reach("MPI_Waitsome", &straight_Waitsome);
  return reached;
}
static Word act_Waitsome(const Reached& what, [[maybe_unused]] void* caller, Word w0, Word w1,
                         Word w2, Word w3, Word w4) {
  if (!is_active(caller))
    return reinterpret_cast<Word (*)(Word w0, Word w1, Word w2, Word w3, Word w4)>(what.real)(
        w0, w1, w2, w3, w4);
  return wrap_Waitsome(
      reinterpret_cast<int (*)(int, MPI_Request*, int*, int*, MPI_Status*)>(what.real),
      from_word<int>(w0), from_word<MPI_Request*>(w1), from_word<int*>(w2), from_word<int*>(w3),
      from_word<MPI_Status*>(w4));
}
STRETTO_ENTRY Word enter_Waitsome(Word w0, Word w1, Word w2, Word w3,
                                  Word w4) __asm__("MPI_Waitsome");
STRETTO_ENTRY Word enter_PWaitsome(Word w0, Word w1, Word w2, Word w3,
                                   Word w4) __asm__("PMPI_Waitsome");
[[gnu::noinline]] static Word apart_Waitsome(void* caller, Word w0, Word w1, Word w2, Word w3,
                                             Word w4) {
  return enter(reached_Waitsome(), caller, act_Waitsome, w0, w1, w2, w3, w4);
}
Word enter_Waitsome(Word w0, Word w1, Word w2, Word w3, Word w4) {
  void* const real = straight_Waitsome.load(std::memory_order_acquire);
  if (real != nullptr &&
      is_direct_Waitsome(from_word<int>(w0), from_word<MPI_Request*>(w1), from_word<int*>(w2),
                         from_word<int*>(w3), from_word<MPI_Status*>(w4))) [[likely]] {
    return reinterpret_cast<Word (*)(Word w0, Word w1, Word w2, Word w3, Word w4)>(real)(w0, w1, w2,
                                                                                         w3, w4);
  }
  return apart_Waitsome(__builtin_return_address(0), w0, w1, w2, w3, w4);
}
[[gnu::noinline]] static Word apart_PWaitsome(void* caller, Word w0, Word w1, Word w2, Word w3,
                                              Word w4) {
  return enter_profiled(reached_Waitsome(), caller, act_Waitsome, w0, w1, w2, w3, w4);
}
Word enter_PWaitsome(Word w0, Word w1, Word w2, Word w3, Word w4) {
  void* const real = straight_Waitsome.load(std::memory_order_acquire);
  if (real != nullptr &&
      is_direct_Waitsome(from_word<int>(w0), from_word<MPI_Request*>(w1), from_word<int*>(w2),
                         from_word<int*>(w3), from_word<MPI_Status*>(w4))) [[likely]] {
    return reinterpret_cast<Word (*)(Word w0, Word w1, Word w2, Word w3, Word w4)>(real)(w0, w1, w2,
                                                                                         w3, w4);
  }
  return apart_PWaitsome(__builtin_return_address(0), w0, w1, w2, w3, w4);
}

[[gnu::always_inline]] static inline const Reached& reached_Bcast_init() {
  static const Reached reached = reach_persistent("MPI_Bcast_init");
  return reached;
}
static Word act_Bcast_init(const Reached& what, [[maybe_unused]] void* caller, Word w0, Word w1,
                           Word w2, Word w3, Word w4, Word w5, Word w6) {
  if (!is_active(caller))
    return reinterpret_cast<Word (*)(Word w0, Word w1, Word w2, Word w3, Word w4, Word w5,
                                     Word w6)>(
        (what.real != nullptr ? what.real : existing_function("PMPI_Bcast_init")))(w0, w1, w2, w3,
                                                                                   w4, w5, w6);
  return wrap_Bcast_init(
      reinterpret_cast<int (*)(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*)>(
          what.real),
      caller, from_word<void*>(w0), from_word<int>(w1), from_word<MPI_Datatype>(w2),
      from_word<int>(w3), from_word<MPI_Comm>(w4), from_word<MPI_Info>(w5),
      from_word<MPI_Request*>(w6));
}
STRETTO_ENTRY Word enter_Bcast_init(Word w0, Word w1, Word w2, Word w3, Word w4, Word w5,
                                    Word w6) __asm__("MPI_Bcast_init");
STRETTO_ENTRY Word enter_PBcast_init(Word w0, Word w1, Word w2, Word w3, Word w4, Word w5,
                                     Word w6) __asm__("PMPI_Bcast_init");
Word enter_Bcast_init(Word w0, Word w1, Word w2, Word w3, Word w4, Word w5, Word w6) {
  return enter(reached_Bcast_init(), __builtin_return_address(0), act_Bcast_init, w0, w1, w2, w3,
               w4, w5, w6);
}
Word enter_PBcast_init(Word w0, Word w1, Word w2, Word w3, Word w4, Word w5, Word w6) {
  return enter_profiled(reached_Bcast_init(), __builtin_return_address(0), act_Bcast_init, w0, w1,
                        w2, w3, w4, w5, w6);
}

#if defined(OMPI_MAJOR_VERSION)
STRETTO_ENTRY Word enter_MPIX_Bcast_init(Word, Word, Word, Word, Word, Word,
                                         Word) __asm__("MPIX_Bcast_init")
    __attribute__((alias("PMPI_Bcast_init")));
STRETTO_ENTRY Word enter_PMPIX_Bcast_init(Word, Word, Word, Word, Word, Word,
                                          Word) __asm__("PMPIX_Bcast_init")
    __attribute__((alias("PMPI_Bcast_init")));
#endif
