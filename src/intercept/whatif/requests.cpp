#include "intercept/whatif/requests.hpp"

namespace stretto::intercept::whatif {
namespace {

bool is_cancelled(const MPI_Status& status) {
  int cancelled = 0;
  native().Test_cancelled(&status, &cancelled);
  return cancelled != 0;
}

}  // namespace

Requests& Requests::get() {
  static auto* const instance = new Requests;
  return *instance;
}

void Requests::add(MPI_Request request, Operation operation) {
  const Lock lock(Process::get().mutex);
  entries_[key_of(request)] = {.operation = std::move(operation)};
}

void Requests::add_persistent(MPI_Request request, const Persistent& what) {
  const Lock lock(Process::get().mutex);
  entries_[key_of(request)] = {.is_persistent = true, .persistent = what};
}

void Requests::start(MPI_Request request) {
  Persistent what;
  {
    const Lock lock(Process::get().mutex);
    const auto found = entries_.find(key_of(request));
    if (found == entries_.end() || !found->second.is_persistent) return;
    what = found->second.persistent;
  }
  if (what.sends) {
    Messages::get().sends(what.comm, what.peer, what.tag, what.bytes);
    return;
  }
  const Ticket ticket = Messages::get().post(what.comm, what.peer, what.tag);
  const Lock lock(Process::get().mutex);
  entries_[key_of(request)].operation = Receive{ticket};
}

void Requests::started(MPI_Request request) {
  const Lock lock(Process::get().mutex);
  const auto found = entries_.find(key_of(request));
  if (found == entries_.end() || !found->second.persistent.sends) return;
  Messages::sent(*found->second.persistent.comm, found->second.persistent.peer);
}

void Requests::forget(MPI_Request request) {
  const Operation operation = take(request);
  const Lock lock(Process::get().mutex);
  if (const auto* receive = std::get_if<Receive>(&operation)) {
    Messages::get().withdraw(receive->ticket);
  }
  entries_.erase(key_of(request));
}

Operation Requests::take(MPI_Request request) {
  const Lock lock(Process::get().mutex);
  const auto found = entries_.find(key_of(request));
  if (found == entries_.end()) return {};
  Operation operation = std::exchange(found->second.operation, std::monostate{});
  if (!found->second.is_persistent) entries_.erase(found);
  return operation;
}

void Requests::complete(const std::vector<Completed>& completed) {
  std::vector<Letter> letters;
  std::vector<Begun> collectives;
  for (const auto& [request, status] : completed) {
    Operation operation = take(request);
    if (const auto* receive = std::get_if<Receive>(&operation)) {
      if (is_cancelled(status)) {
        const Lock lock(Process::get().mutex);
        Messages::get().withdraw(receive->ticket);
      } else {
        letters.push_back(Messages::get().complete(receive->ticket, status));
      }
    } else if (const auto* matched = std::get_if<MatchedReceive>(&operation)) {
      letters.push_back(matched->letter);
    } else if (auto* begun = std::get_if<Begun>(&operation)) {
      collectives.push_back(std::move(*begun));
    }
  }
  if (!letters.empty()) Messages::received(letters);
  for (const Begun& begun : collectives) Collectives::get().finish(begun, true);
}

}  // namespace stretto::intercept::whatif
