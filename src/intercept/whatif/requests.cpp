#include "intercept/whatif/requests.hpp"

#include <algorithm>

#include "base/short_list.hpp"

namespace stretto::intercept::whatif {
namespace {

// Nobody will wait for it. Only with the mutex held.
void abandon(const PendingOperation& operation) {
  if (const auto* begun = std::get_if<Begun>(&operation)) {
    Process::get().virtual_time.abandon(begun->open);
  }
}

bool is_cancelled(const MPI_Status& status) {
  int cancelled = 0;
  native().Test_cancelled(&status, &cancelled);
  return cancelled != 0;
}

}  // namespace

// Whatever the handle stood for before is over.
Requests::Entry& Requests::fresh(MPI_Request request) {
  const auto found = entries_.find(key_of(request));
  if (found != entries_.end()) {
    abandon(found->second.operation);
    return found->second = {};
  }
  if (spare_.empty()) return entries_[key_of(request)];
  spare_.back().key() = key_of(request);
  const auto added = entries_.insert(std::move(spare_.back())).position;
  spare_.pop_back();
  return added->second;
}

void Requests::erase(Entries::iterator entry) {
  entry->second = {};
  spare_.push_back(entries_.extract(entry));
}

void Requests::add(MPI_Request request, PendingOperation operation) {
  const Lock lock(Process::get().mutex);
  fresh(request).operation = std::move(operation);
}

void Requests::add_persistent(MPI_Request request, const PersistentOperation& what) {
  const Lock lock(Process::get().mutex);
  Entry& entry = fresh(request);
  entry.is_persistent = true;
  entry.persistent = what;
}

void Requests::start(MPI_Request request) {
  PersistentOperation what;
  {
    const Lock lock(Process::get().mutex);
    const auto found = entries_.find(key_of(request));
    if (found == entries_.end() || !found->second.is_persistent) return;
    what = found->second.persistent;
  }
  if (what.collective) {
    Begun begun = Collectives::get().begin(*what.collective);
    const Lock lock(Process::get().mutex);
    entries_[key_of(request)].operation = std::move(begun);
    return;
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
  const PendingOperation operation = take(request);
  const Lock lock(Process::get().mutex);
  if (const auto* receive = std::get_if<Receive>(&operation)) {
    Messages::get().withdraw(receive->ticket);
  }
  abandon(operation);
}

void Requests::remove(MPI_Request request) {
  forget(request);
  const Lock lock(Process::get().mutex);
  const auto found = entries_.find(key_of(request));
  if (found != entries_.end()) erase(found);
}

void Requests::saw_complete(MPI_Request request) {
  Begun* begun = nullptr;
  {
    const Lock lock(Process::get().mutex);
    const auto found = entries_.find(key_of(request));
    if (found != entries_.end()) begun = std::get_if<Begun>(&found->second.operation);
  }
  if (begun != nullptr && begun->duplicate != native().comm_null) {
    Collectives::get().attach_duplicate(*begun);
  }
}

bool Requests::is_unanswered(MPI_Request request) const {
  const Lock lock(Process::get().mutex);
  const auto found = entries_.find(key_of(request));
  if (found == entries_.end()) return false;
  const auto* begun = std::get_if<Begun>(&found->second.operation);
  return begun != nullptr && !Collectives::get().is_answered(*begun);
}

PendingOperation Requests::take(MPI_Request request) {
  const Lock lock(Process::get().mutex);
  const auto found = entries_.find(key_of(request));
  if (found == entries_.end()) return {};
  PendingOperation operation = std::exchange(found->second.operation, std::monostate{});
  if (!found->second.is_persistent) erase(found);
  return operation;
}

void Requests::complete(std::span<const Completed> completed) {
  ShortList<ClockMessage> messages;
  ShortList<Begun> collectives;
  ShortList<std::pair<Ticket, const MPI_Status*>> receives;
  std::string_view passes;
  for (const auto& [request, status] : completed) {
    PendingOperation operation = take(request);
    if (const auto* receive = std::get_if<Receive>(&operation)) {
      receives.emplace_back(receive->ticket, &status);
    } else if (const auto* matched = std::get_if<MatchedReceive>(&operation)) {
      messages.push_back(matched->message);
    } else if (auto* begun = std::get_if<Begun>(&operation)) {
      collectives.push_back(std::move(*begun));
    } else if (const auto* passing = std::get_if<Passes>(&operation)) {
      passes = passing->function;
    }
  }
  // In the order in which they were posted.
  std::sort(receives.begin(), receives.end(),
            [](const auto& a, const auto& b) { return a.first->number < b.first->number; });
  for (const auto& [ticket, status] : receives) {
    if (is_cancelled(*status)) {
      const Lock lock(Process::get().mutex);
      Messages::get().withdraw(ticket);
    } else {
      messages.push_back(Messages::get().complete(ticket, *status));
    }
  }
  if (!messages.empty()) Messages::get().received(messages);
  for (const Begun& begun : collectives) Collectives::get().finish(begun, true);
  // Beside others it was waited for meanwhile.
  if (!passes.empty() && messages.empty() && collectives.empty()) {
    Process::get().passed(passes, Process::get().in_mpi());
  }
}

}  // namespace stretto::intercept::whatif
