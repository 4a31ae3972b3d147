#include "mpi/own_channel.hpp"

#include <mutex>
#include <vector>

#include "base/rank_context.hpp"
#include "mpi/communicator_like.hpp"

namespace stretto::own_channel {
namespace {

struct OwnChannel {
  MPI_Comm comm{};
  bool is_open = false;
  std::mutex mutex;
  std::vector<int> free_tags;
  int next_tag = kCopyTag + 1;
};

OwnChannel& channel() { return of_rank<OwnChannel>(); }

}  // namespace

bool open() {
  if (channel().is_open) return true;
  channel().comm = communicator_like(native().comm_self);
  channel().is_open = channel().comm != native().comm_null;
  return channel().is_open;
}

void close() {
  if (!channel().is_open) return;
  native().Comm_free(&channel().comm);
  channel().is_open = false;
}

MPI_Comm get() { return channel().comm; }

Signal::Signal() {
  const std::lock_guard lock(channel().mutex);
  if (channel().free_tags.empty()) {
    tag_ = channel().next_tag++;
  } else {
    tag_ = channel().free_tags.back();
    channel().free_tags.pop_back();
  }
}

Signal::~Signal() {
  const std::lock_guard lock(channel().mutex);
  channel().free_tags.push_back(tag_);
}

MPI_Request Signal::request() const {
  MPI_Request request{};
  native().Recv_init(nullptr, 0, native().byte, 0, tag_, get(), &request);
  return request;
}

void Signal::raise(int error) const {
  error_ = error;
  // A byte is more than the receive has room for: it fails as truncated.
  const char byte = 0;
  native().Send(&byte, error == MPI_SUCCESS ? 0 : 1, native().byte, 0, tag_, get());
}

}  // namespace stretto::own_channel
