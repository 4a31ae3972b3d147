#include "intercept/profile/call_recorder.hpp"

#include <algorithm>
#include <bit>

#include "intercept/profile/sampling.hpp"
#include "intercept/shared/caller.hpp"
#include "intercept/shared/entry.hpp"
#include "mpi/world.hpp"

namespace stretto::intercept::profile {
namespace {

// FNV-1a of the ranks of a group in MPI_COMM_WORLD.
std::uint64_t hash_of(MPI_Group group) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const int rank : ranks_in_world(group)) {
    hash = (hash ^ static_cast<std::uint64_t>(static_cast<unsigned>(rank))) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

void CallRecorder::open(std::size_t traced, int depth) {
  depth_ = depth;
  trace_.keep(traced);
  int size = 1;
  native().Comm_size(native().comm_world, &size);
  // What is put together afterwards has those of all ranks.
  constexpr std::size_t kOfAllRanks = std::size_t{1} << 22;
  most_instances_ = std::clamp(kOfAllRanks / static_cast<std::size_t>(size), std::size_t{1} << 12,
                               std::size_t{1} << 20);
  messages_.open(most_instances_ / 2);
  index_of(native().comm_world);
}

void CallRecorder::close() {
  under_way_.close();
  trace_.finish();
  attributes_.close();
}

int CallRecorder::index_of(MPI_Comm comm) {
  if (comm == native().comm_null) return kNoComm;
  // The first look-up is not under the lock: where the handle is none, the program's error handler
  // runs in it, and that may call MPI. The second is, or two threads might learn it.
  int index = known_index(comm);
  if (index != kNoComm) return index;
  const std::lock_guard lock(mutex_);
  index = known_index(comm);
  return index != kNoComm ? index : learn(comm);
}

int CallRecorder::known_index(MPI_Comm comm) {
  return static_cast<int>(std::bit_cast<std::intptr_t>(attributes_.find(comm))) - 1;
}

int CallRecorder::remember(MPI_Comm comm, std::size_t index) {
  attributes_.set(comm, std::bit_cast<void*>(index + 1));
  return static_cast<int>(index);
}

std::size_t CallRecorder::folded() {
  if (!comms_.back().is_folded) {
    comms_.emplace_back();
    comms_.back().is_folded = true;
  }
  return comms_.size() - 1;
}

int CallRecorder::learn(MPI_Comm comm) {
  if (comms_.size() >= kMostComms) {
    return remember(comm, folded());
  }
  ProfiledComm known;
  int is_inter = 0;
  native().Comm_test_inter(comm, &is_inter);
  known.is_inter = is_inter != 0;
  native().Comm_size(comm, &known.size);
  native().Comm_rank(comm, &known.rank);
  MPI_Group group{};
  native().Comm_group(comm, &group);
  known.members = hash_of(group);
  native().Group_free(&group);
  comms_.push_back(known);
  return remember(comm, comms_.size() - 1);
}

// 0 where there is none.
int CallRecorder::number_of(const CallPath& path) {
  if (path.empty()) return 0;
  const auto found = paths_.find(path);
  if (found != paths_.end()) return found->second;
  if (paths_.size() >= kMostPaths) return 0;
  const int number = static_cast<int>(paths_.size()) + 1;
  paths_.emplace(path, number);
  return number;
}

int CallRecorder::call_site_of(const Record& record, const PythonLine* line, const CallPath& path) {
  const std::uintptr_t place = line != nullptr ? std::bit_cast<std::uintptr_t>(line)
                                               : std::bit_cast<std::uintptr_t>(record.caller);
  const int number = number_of(path);
  const Key key{place, record.function, record.comm, number};
  const auto [found, is_new] = index_.try_emplace(key, static_cast<int>(call_sites_.size()));
  if (is_new) {
    ProfiledCallSite call_site{
        .function = record.function, .caller = record.caller, .line = line, .comm = record.comm};
    if (number != 0) call_site.path = path;
    call_site.is_the_mpis = is_the_mpis(record.caller);
    call_sites_.push_back(call_site);
  }
  return found->second;
}

void CallRecorder::add(const Record& at_callee, const AffectedRequests& affected) {
  open_call().end();
  Record record = at_callee;
  record.caller = caller_in_program(record.caller);
  const PythonLine* const line = python_line(record.caller);
  const std::int64_t time = record.leave - record.enter;
  CallPath path;
  if (depth_ > 1) find_path(record.caller, line, depth_, path);
  const std::lock_guard lock(mutex_);
  const int index = call_site_of(record, line, path);
  ProfiledCallSite& call_site = call_sites_[static_cast<std::size_t>(index)];
  // ROMIO's collectives, for one, come by the names that programs use.
  if (call_site.is_the_mpis) return;
  leave_out_unnamed(record.sent);
  leave_out_unnamed(record.received);
  if (record.sent.role == ProfiledMessage::Role::accessed) {
    static_cast<void>(messages_.number(record.sent));
    record.sent.role = ProfiledMessage::Role::none;
  }
  const Completed completed = note_requests(record, affected, index);
  note_messages(record, affected, completed, index);
  record.bytes += completed.bytes;
  ++call_site.calls;
  call_site.bytes += record.bytes;
  call_site.time += time;
  call_site.longest = std::max(call_site.longest, time);
  ++call_site
        .sizes[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(record.bytes)))];
  const Function& function = kFunctions[static_cast<std::size_t>(record.function)];
  if (function.kind == FunctionKind::collective && record.comm != kNoComm)
    note_instance(record, index);
  trace_.add({.enter = record.enter,
              .leave = record.leave,
              .bytes = record.bytes,
              .call_site = index,
              .thread = thread_number()},
             function.polls);
}

std::vector<Record> CallRecorder::open_calls() const {
  std::vector<Record> found;
  for (const CallSlot& each : open_) {
    if (const Record call = each.read(); call.enter != 0) found.push_back(call);
  }
  return found;
}

Recorded CallRecorder::recorded(std::span<const Record> going_on, std::int64_t now) {
  // Before the lock: who loads a library holds the loader's, and may make a call meanwhile.
  std::vector<bool> are_the_mpis;
  are_the_mpis.reserve(going_on.size());
  for (const Record& call : going_on) are_the_mpis.push_back(is_the_mpis(call.caller));
  const std::lock_guard lock(mutex_);
  Recorded copy{.call_sites = call_sites_,
                .overlaps = {},
                .comms = comms_,
                .instances = instances_,
                .open_sites = {}};
  for (int i = 0; i < static_cast<int>(call_sites_.size()); ++i) {
    copy.overlaps.push_back(under_way_.at(i));
  }
  for (std::size_t i = 0; i < going_on.size(); ++i) {
    const Record& call = going_on[i];
    // Only its own thread could say by which path it came.
    const Key key{std::bit_cast<std::uintptr_t>(call.caller), call.function, call.comm, 0};
    const auto found = index_.find(key);
    const std::size_t index =
        found == index_.end() ? copy.call_sites.size() : static_cast<std::size_t>(found->second);
    const bool is_counted =
        found == index_.end() ? !are_the_mpis[i] : !call_sites_[index].is_the_mpis;
    copy.open_sites.push_back(is_counted ? static_cast<int>(index) : -1);
    if (!is_counted) continue;
    if (found == index_.end()) {
      copy.call_sites.push_back(
          {.function = call.function, .caller = call.caller, .comm = call.comm});
      copy.overlaps.emplace_back();
    }
    ProfiledCallSite& call_site = copy.call_sites[index];
    const std::int64_t time = std::max<std::int64_t>(now - call.enter, 0);
    ++call_site.calls;
    ++call_site.sizes[0];
    call_site.time += time;
    call_site.longest = std::max(call_site.longest, time);
  }
  return copy;
}

void CallRecorder::leave_out_unnamed(ProfiledMessage& message) const {
  if (message.role == ProfiledMessage::Role::trivial) return;
  const bool is_named = message.comm != kNoComm &&
                        !comms_[static_cast<std::size_t>(message.comm)].is_inter &&
                        !comms_[static_cast<std::size_t>(message.comm)].is_folded;
  if (!is_named) message.role = ProfiledMessage::Role::none;
}

Completed CallRecorder::note_requests(const Record& record, const AffectedRequests& affected,
                                      int call_site) {
  under_way_.begin(record.enter);
  RequestUse use{.bytes = record.bytes, .begun = {.begin = record.enter}};
  if (affected.makes_one()) {
    // One for both (MPI_Isendrecv) is waited for as a receive.
    const bool receives = record.received.role != ProfiledMessage::Role::none;
    use.begun.message = receives ? record.received : record.sent;
    if (receives && record.sent.role == ProfiledMessage::Role::sent) {
      messages_.abandon(
          {.message = record.sent, .begin = record.enter, .number = messages_.number(record.sent)});
    }
  }
  return under_way_.end(affected, call_site, record.enter, record.leave, use);
}

void CallRecorder::note_messages(const Record& record, const AffectedRequests& affected,
                                 const Completed& completed, int call_site) {
  int messages = completed.messages;
  int others = completed.requests - completed.messages + completed.unknown;
  if (!affected.makes_one()) {
    for (const ProfiledMessage& message : {record.sent, record.received}) {
      if (message.role == ProfiledMessage::Role::none) continue;
      ++messages;
      if (message.role == ProfiledMessage::Role::trivial) continue;
      // Of those that receives are posted for none is there for a probe.
      const bool is_doubtful =
          message.role == ProfiledMessage::Role::awaited && under_way_.receives() > 0;
      if (is_doubtful || message.is_open()) {
        ++others;
        continue;
      }
      BegunMessage begun{.message = message, .begin = record.enter};
      if (message.role == ProfiledMessage::Role::sent) begun.number = messages_.number(message);
      messages_.complete(begun);
    }
  }
  const bool has_waited = messages_.end_call(record.enter, record.leave, call_site, others);
  if (messages == 0 || others > 0) return;
  ProfiledCallSite& here = call_sites_[static_cast<std::size_t>(call_site)];
  here.message_time += record.leave - record.enter;
  if (!has_waited) here.trivial_time += record.leave - record.enter;
}

void CallRecorder::note_instance(const Record& record, int call_site) {
  ProfiledComm& comm = comms_[static_cast<std::size_t>(record.comm)];
  if (comm.is_folded) return;
  if (comm.ordinal < 0) comm.ordinal = next_ordinal_[comm.members]++;
  const std::int64_t number = comm.collectives++;
  if (!is_kept(number, comm.stride)) return;
  instances_.push_back({.enter = record.enter,
                        .leave = record.leave,
                        .number = number,
                        .comm = record.comm,
                        .call_site = call_site,
                        .root = record.root});
  if (instances_.size() >= most_instances_) thin_out();
}

// Half of each communicator's.
void CallRecorder::thin_out() {
  for (ProfiledComm& comm : comms_) comm.stride *= 2;
  std::erase_if(instances_, [&](const Instance& each) {
    return !is_kept(each.number, comms_[static_cast<std::size_t>(each.comm)].stride);
  });
}

}  // namespace stretto::intercept::profile
