/* A stand-in for the CUDA driver: as much of it as the test of device buffers calls. Its device's
 * memory is address space that nobody may touch, so whoever takes it for the host's is killed.
 * standin_expose lets an MPI that is GPU-aware (aware_mpi.c) in and out again. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

typedef unsigned long long Address;

enum { BYTES = 1 << 20, SUCCESS = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3 };
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, TYPE_DEVICE = 2 };

static char *device, *managed; /* a part of the address space each */
static size_t used, used_managed;
static atomic_int exposed;

int cuInit(unsigned flags) {
  (void)flags;
  device = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  managed = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return SUCCESS;
}

static Address take(char* from, size_t* of, size_t bytes) {
  char* const taken = from + *of;
  *of += (bytes + 255) / 256 * 256;
  return (Address)taken;
}

int cuMemAlloc_v2(Address* address, size_t bytes) {
  *address = take(device, &used, bytes);
  return SUCCESS;
}

int cuMemAllocManaged(Address* address, size_t bytes, unsigned flags) {
  (void)flags;
  *address = take(managed, &used_managed, bytes);
  return SUCCESS;
}

static int is_in(const char* region, Address address) {
  return address >= (Address)region && address < (Address)region + BYTES;
}

int cuPointerGetAttribute(void* value, int attribute, Address address) {
  if (device == NULL) return NOT_INITIALIZED;
  if (!is_in(device, address) && !is_in(managed, address)) return INVALID_VALUE;
  if (attribute == MEMORY_TYPE) *(unsigned*)value = TYPE_DEVICE;
  if (attribute == IS_MANAGED) *(unsigned*)value = is_in(managed, address) ? 1 : 0;
  return SUCCESS;
}

void standin_expose(int more) {
  const int before = atomic_fetch_add(&exposed, more);
  if (before != 0 && before + more != 0) return;
  mprotect(device, BYTES, before + more > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
}

int cuMemcpy(Address to, Address from, size_t bytes) {
  standin_expose(1);
  memcpy((void*)to, (const void*)from, bytes);
  standin_expose(-1);
  return SUCCESS;
}
