#include "intercept/accelerate/persistents.hpp"

#include "engine/attention.hpp"
#include "engine/failures.hpp"

namespace stretto::intercept::accelerate {

bool Persistents::add(const Call& call, const Decision& decision, MPI_Request* request) {
  auto collective = Persistent::make(call, decision);
  if (collective == nullptr) return false;
  auto entry =
      std::make_shared<const Entry>(Entry{.collective = std::move(collective),
                                          .signal = std::make_shared<const own_channel::Signal>(),
                                          .comm = call.comm});
  *request = entry->signal->request();
  const std::lock_guard lock(mutex_);
  // A tool may have freed one of this handle past Stretto.
  if (entries_.insert_or_assign(*request, std::move(entry)).second) raise_attention(1);
  count_ = entries_.size();
  return true;
}

bool Persistents::start(MPI_Request request) {
  std::shared_ptr<const Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(request);
    if (found == entries_.end()) return false;
    entry = found->second;
  }
  Engine::release(entry->collective->start({.signal = entry->signal, .signalled = request}));
  return true;
}

bool Persistents::forget(MPI_Request request) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(request);
  if (found == entries_.end()) return false;
  entries_.erase(found);
  count_ = entries_.size();
  raise_attention(-1);
  return true;
}

void Persistents::collect(int error) {
  if (error == MPI_SUCCESS || !any()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& [request, entry] : entries_) {
    const int cause = entry->signal->take_error();
    if (cause != MPI_SUCCESS) Failures::add(entry->comm, cause);
  }
}

}  // namespace stretto::intercept::accelerate
