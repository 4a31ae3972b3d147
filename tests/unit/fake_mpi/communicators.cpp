// Communicators and groups that come and go.

#include <algorithm>
#include <map>

#include "fake_mpi/entered.hpp"

namespace fake_mpi {

MPI_Comm add_comm(Entered& at, std::shared_ptr<Context> context) {
  Comm comm{.context = std::move(context)};
  for (const int side : {0, 1}) {
    const std::vector<int>& group = comm.context->groups[static_cast<std::size_t>(side)];
    const auto found = std::ranges::find(group, at.rank.number);
    if (found == group.end()) continue;
    comm.side = side;
    comm.rank = static_cast<int>(found - group.begin());
  }
  return at.rank.comms.add(std::make_shared<Comm>(std::move(comm)));
}

namespace {

constexpr int kPaired = 1;

// What a rank says of the communicator that it wants, and what it gets.
struct Wish {
  int rank = 0;  // in the job
  int color = 0;
  int key = 0;
  std::vector<int> group{};
  std::shared_ptr<Context> made{};
};

Wish& wish(const std::shared_ptr<void>& given) { return *static_cast<Wish*>(given.get()); }

// Tells the handler of the parent where the MPI has no context left, as all ranks find.
int finish(Entered& at, const Wish& mine, int planned, bool wanted, MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  if (planned != MPI_SUCCESS) return at.raise(planned);
  if (!wanted) return MPI_SUCCESS;
  if (mine.made == nullptr) return at.raise(MPI_ERR_OTHER);
  *made = add_comm(at, mine.made);
  return MPI_SUCCESS;
}

int duplicate(Entered& at, MPI_Comm comm, MPI_Comm* made) {
  if (!at.has_comm()) return at.refused();
  const CommPointer parent = at.comm_pointer();
  const auto mine = std::make_shared<Wish>();
  meet(at, parent, "Comm_dup", mine, [&](Meeting& all) {
    const auto context = make_context(at.job, parent->context->groups, parent->context->is_inter);
    for (const auto& each : all.given) wish(each).made = context;
  });
  const int error = finish(at, *mine, at.planned(), true, made);
  if (error != MPI_SUCCESS) return error;
  const CommPointer copy = at.rank.comms.find(*made);
  copy->handler = parent->handler;
  copy->topology = parent->topology;
  for (const Comm::Attribute& each : parent->attributes) {
    if (each.kind->copy == nullptr) continue;
    void* value = nullptr;
    int flag = 0;
    at.unlocked([&] {
      return each.kind->copy(comm, each.keyval, each.kind->extra, each.value,
                             static_cast<void*>(&value), &flag);
    });
    if (flag != 0) copy->attributes.push_back({each.keyval, each.kind, value});
  }
  return MPI_SUCCESS;
}

int split(Entered& at, int color, int key, MPI_Comm* made) {
  if (!at.has_comm()) return at.refused();
  const CommPointer parent = at.comm_pointer();
  const auto mine =
      std::make_shared<Wish>(Wish{.rank = at.rank.number, .color = color, .key = key});
  meet(at, parent, "Comm_split", mine, [&](Meeting& all) {
    std::map<int, std::vector<Wish*>> colors;
    for (const auto& each : all.given) colors[wish(each).color].push_back(&wish(each));
    for (auto& [each_color, members] : colors) {
      if (each_color == MPI_UNDEFINED) continue;
      std::ranges::stable_sort(members, {}, &Wish::key);
      std::vector<int> group;
      for (const Wish* member : members) group.push_back(member->rank);
      const auto context = make_context(at.job, {group, {}});
      for (Wish* member : members) member->made = context;
    }
  });
  return finish(at, *mine, at.planned(), color != MPI_UNDEFINED, made);
}

}  // namespace
}  // namespace fake_mpi

using namespace fake_mpi;

FAKE_MPI(Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  return duplicate(at, comm, newcomm);
}
FAKE_MPI(Comm_dup_with_info, (MPI_Comm comm, MPI_Info /*info*/, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  return duplicate(at, comm, newcomm);
}
FAKE_MPI(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  return split(at, color, key, newcomm);
}
FAKE_MPI(Comm_split_type,
         (MPI_Comm comm, int type, int key, MPI_Info /*info*/, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  return split(at, type == MPI_UNDEFINED ? type : 0, key, newcomm);
}
FAKE_MPI(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm)) {
  Entered at(__func__, comm);
  if (!at.has_comm()) return at.refused();
  const auto mine = std::make_shared<Wish>();
  mine->group = at.group(group)->ranks;
  meet(at, at.comm_pointer(), "Comm_create", mine, [&](Meeting& all) {
    std::map<std::vector<int>, std::shared_ptr<Context>> contexts;
    for (const auto& each : all.given) {
      Wish& its = wish(each);
      const auto [found, is_new] = contexts.try_emplace(its.group);
      if (is_new) found->second = make_context(at.job, {its.group, {}});
      its.made = found->second;
    }
  });
  const bool in_group = std::ranges::find(mine->group, at.rank.number) != mine->group.end();
  return finish(at, *mine, at.planned(), in_group, newcomm);
}

// The leaders meet on their communicator, and each then tells its group.
FAKE_MPI(Intercomm_create, (MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                            int remote_leader, int tag, MPI_Comm* newcomm)) {
  Entered at(__func__, local_comm);
  if (!at.has_comm()) return at.refused();
  const CommPointer local = at.comm_pointer();
  const auto mine = std::make_shared<Wish>();
  if (local->rank == local_leader) {
    static std::map<std::pair<State*, int>, std::shared_ptr<Wish>> waiting;  // by tag
    const CommPointer peers = at.rank.comms.find(peer_comm);
    const int other = peers->others()[static_cast<std::size_t>(remote_leader)];
    std::shared_ptr<Wish>& first = waiting[{&at.job, tag}];
    if (first == nullptr) {
      const std::shared_ptr<Wish> own = first = mine;
      own->group = local->own();
      own->key = other;
      at.wait([&] { return own->color == kPaired; });
    } else {
      mine->made = first->made = make_context(at.job, {first->group, local->own()}, true);
      first->color = kPaired;
      waiting.erase({&at.job, tag});
      at.job.changed.notify_all();
    }
  }
  meet(at, local, "Intercomm_create", mine, [&](Meeting& all) {
    const auto made = wish(all.given[static_cast<std::size_t>(local_leader)]).made;
    for (const auto& each : all.given) wish(each).made = made;
  });
  return finish(at, *mine, at.planned(), true, newcomm);
}
FAKE_MPI(Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newcomm)) {
  Entered at(__func__, intercomm);
  if (!at.has_comm()) return at.refused();
  const CommPointer inter = at.comm_pointer();
  const auto mine = std::make_shared<Wish>(Wish{.color = high});
  meet(at, inter, "Intercomm_merge", mine, [&](Meeting& all) {
    auto [merged, rest] = inter->context->groups;
    if (wish(all.given.front()).color > wish(all.given.back()).color) std::swap(merged, rest);
    merged.insert(merged.end(), rest.begin(), rest.end());
    const auto context = make_context(at.job, {merged, {}});
    for (const auto& each : all.given) wish(each).made = context;
  });
  return finish(at, *mine, at.planned(), true, newcomm);
}

namespace {

int free_comm(Entered& at, MPI_Comm* comm) {
  if (at.fails()) return at.refused();
  const CommPointer freed = at.comm_pointer();
  const int error = delete_attributes(at, *comm, *freed);
  at.rank.comms.remove(*comm);
  *comm = MPI_COMM_NULL;
  return at.result(error);
}

}  // namespace

FAKE_MPI(Comm_free, (MPI_Comm * comm)) {
  Entered at(__func__, *comm);
  return free_comm(at, comm);
}
FAKE_MPI(Comm_disconnect, (MPI_Comm * comm)) {
  Entered at(__func__, *comm);
  return free_comm(at, comm);
}

FAKE_MPI(Comm_rank, (MPI_Comm comm, int* rank)) {
  Entered at(__func__, comm);
  return at.answer([&] { *rank = at.comm().rank; });
}
FAKE_MPI(Comm_size, (MPI_Comm comm, int* size)) {
  Entered at(__func__, comm);
  return at.answer([&] { *size = static_cast<int>(at.comm().own().size()); });
}
FAKE_MPI(Comm_remote_size, (MPI_Comm comm, int* size)) {
  Entered at(__func__, comm);
  return at.answer([&] { *size = static_cast<int>(at.comm().others().size()); });
}
FAKE_MPI(Comm_test_inter, (MPI_Comm comm, int* flag)) {
  Entered at(__func__, comm);
  return at.answer([&] { *flag = at.comm().context->is_inter ? 1 : 0; });
}
FAKE_MPI(Comm_get_parent, (MPI_Comm * parent)) {
  Entered at(__func__);
  return at.answer([&] { *parent = at.rank.parent; });
}

FAKE_MPI(Comm_group, (MPI_Comm comm, MPI_Group* group)) {
  Entered at(__func__, comm);
  return at.answer(
      [&] { *group = at.rank.groups.add(std::make_shared<Group>(Group{at.comm().own()})); });
}
FAKE_MPI(Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
  Entered at(__func__, comm);
  return at.answer(
      [&] { *group = at.rank.groups.add(std::make_shared<Group>(Group{at.comm().others()})); });
}
FAKE_MPI(Group_size, (MPI_Group group, int* size)) {
  Entered at(__func__);
  return at.answer([&] { *size = static_cast<int>(at.group(group)->ranks.size()); });
}
FAKE_MPI(Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  Group chosen;
  for (int i = 0; i < n; ++i) {
    chosen.ranks.push_back(at.group(group)->ranks[static_cast<std::size_t>(ranks[i])]);
  }
  *newgroup = at.rank.groups.add(std::make_shared<Group>(std::move(chosen)));
  return MPI_SUCCESS;
}
FAKE_MPI(Group_translate_ranks,
         (MPI_Group from, int n, const int ranks[], MPI_Group to, int translated[])) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  const std::vector<int>& target = at.group(to)->ranks;
  for (int i = 0; i < n; ++i) {
    const int rank = at.group(from)->ranks[static_cast<std::size_t>(ranks[i])];
    const auto found = std::ranges::find(target, rank);
    translated[i] =
        found == target.end() ? MPI_UNDEFINED : static_cast<int>(found - target.begin());
  }
  return MPI_SUCCESS;
}
FAKE_MPI(Group_free, (MPI_Group * group)) {
  Entered at(__func__);
  if (at.fails()) return at.refused();
  static_cast<void>(at.group(*group));
  at.rank.groups.remove(*group);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
