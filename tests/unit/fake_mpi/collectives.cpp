#include "fake_mpi/collectives.hpp"

#include <algorithm>
#include <numeric>

#include "fake_mpi/messages.hpp"
#include "fake_mpi/operations.hpp"

namespace fake_mpi {
namespace {

using stretto::Collective;

struct Block {
  std::byte* base = nullptr;
  MPI_Count count = 0;
  TypePointer type{};

  [[nodiscard]] Packed read() const { return pack(base, count, *type); }
  void write(const Packed& data) const { static_cast<void>(unpack(data, base, count, *type)); }
};

// One of a rank's buffers.
struct Side {
  std::byte* base = nullptr;
  MPI_Count count = 0;
  std::vector<MPI_Count> counts{};
  std::vector<MPI_Count> displs{};
  TypePointer type{};
  std::vector<TypePointer> types{};

  [[nodiscard]] Block whole() const { return {base, count, type}; }
  [[nodiscard]] Block block(std::size_t i) const {
    if (displs.empty()) {
      const auto before = static_cast<MPI_Count>(i) * count;
      return {base + before * type->extent, count, type};
    }
    const TypePointer& of = types.empty() ? type : types[i];
    return {base + displs[i] * (types.empty() ? of->extent : 1), counts[i], of};
  }
};

// What a rank brings to a collective.
struct Part {
  Collective collective{};
  bool uneven = false;
  bool in_place = false;
  Side send;
  Side recv;
  std::shared_ptr<Op> op{};
  MPI_Datatype type_handle{};
  int root = 0;
  CommPointer comm;
  std::weak_ptr<Request> request{};  // holds this, where it is persistent

  [[nodiscard]] bool is_root() const {
    return comm->context->is_inter ? root == MPI_ROOT : root == comm->rank;
  }
  [[nodiscard]] bool is_inter() const { return comm->context->is_inter; }
};
using Parts = std::vector<Part*>;

// Those that a part gets from or gives to: all, or those of the other group.
Parts others(const Parts& all, const Part& part) {
  if (!part.is_inter()) return all;
  Parts found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const Part* each) { return each->comm->side != part.comm->side; });
  return found;
}
Part& root_of(const Parts& all) {
  return **std::ranges::find_if(all, [](const Part* each) { return each->is_root(); });
}

// Elements as they lie in memory, to be reduced.
class Vector {
 public:
  Vector(const void* from, MPI_Count count, TypePointer type)
      : count_(count), type_(std::move(type)) {
    const MPI_Aint last = count > 0 ? (count - 1) * type_->extent : 0;
    const MPI_Aint low = std::min<MPI_Aint>({0, last}) + type_->true_lower_bound;
    const MPI_Aint high =
        std::max<MPI_Aint>({0, last}) + type_->true_lower_bound + type_->true_extent;
    memory_.resize(static_cast<std::size_t>(std::max<MPI_Aint>(high - low, 0)));
    below_ = -low;
    Block{base(), count_, type_}.write(pack(from, count_, *type_));
  }
  [[nodiscard]] std::byte* base() { return memory_.data() + below_; }
  // This becomes `before` op this.
  void add_before(Vector& before, const Part& part) {
    reduce(*part.op, before.base(), base(), count_, *type_, part.type_handle);
  }
  [[nodiscard]] Packed read(MPI_Count first, MPI_Count count) {
    return pack(base() + first * type_->extent, count, *type_);
  }

 private:
  MPI_Count count_;
  TypePointer type_;
  std::vector<std::byte> memory_;
  MPI_Aint below_ = 0;
};

MPI_Count elements_of(const Part& part) {
  if (part.collective != Collective::reduce_scatter) return part.recv.count;
  if (part.uneven) {
    return std::accumulate(part.recv.counts.begin(), part.recv.counts.end(), MPI_Count{0});
  }
  return part.recv.count * static_cast<MPI_Count>(part.comm->own().size());
}

Vector operand(const Part& part) {
  const std::byte* const from = part.in_place ? part.recv.base : part.send.base;
  return {from, elements_of(part), part.recv.type};
}

// In rank order.
Vector total(const Parts& parts) {
  Vector sum = operand(*parts.back());
  for (std::size_t i = parts.size() - 1; i-- > 0;) {
    Vector before = operand(*parts[i]);
    sum.add_before(before, *parts[i]);
  }
  return sum;
}

void do_reductions(const Parts& all) {
  const Part& first = *all.front();
  std::vector<std::pair<Block, Packed>> results;
  const auto give = [&](Part& to, const Parts& from) {
    Vector sum = total(from);
    const Side& recv = to.recv;
    MPI_Count count = recv.count;
    MPI_Count offset = 0;
    if (to.collective == Collective::reduce_scatter) {
      const auto me = static_cast<std::size_t>(to.comm->rank);
      if (to.uneven) count = recv.counts[me];
      offset = to.uneven ? std::accumulate(recv.counts.begin(), recv.counts.begin() + to.comm->rank,
                                           MPI_Count{0})
                         : to.comm->rank * count;
    }
    results.push_back({{recv.base, count, recv.type}, sum.read(offset, count)});
  };
  for (Part* const each : all) {
    switch (first.collective) {
      case Collective::reduce:
        if (each->is_root()) give(*each, others(all, *each));
        break;
      case Collective::scan:
        give(*each, {all.begin(), all.begin() + each->comm->rank + 1});
        break;
      case Collective::exscan:
        if (each->comm->rank > 0) give(*each, {all.begin(), all.begin() + each->comm->rank});
        break;
      default:
        give(*each, others(all, *each));
    }
  }
  for (const auto& [where, data] : results) where.write(data);
}

void do_rooted(const Parts& all) {
  Part& root = root_of(all);
  for (Part* const each : others(all, root)) {
    const auto place = static_cast<std::size_t>(each->comm->rank);
    if (root.collective == Collective::bcast) {
      if (each != &root) each->recv.whole().write(root.recv.whole().read());
    } else if (each == &root && root.in_place) {
      continue;
    } else if (root.collective == Collective::gather) {
      root.recv.block(place).write(each->send.whole().read());
    } else {
      each->recv.whole().write(root.send.block(place).read());
    }
  }
}

void do_all(const Parts& all) {
  const bool sends_one = all.front()->collective == Collective::allgather;
  std::vector<std::pair<Block, Packed>> results;
  for (Part* const to : all) {
    for (Part* const from : others(all, *to)) {
      const auto source = static_cast<std::size_t>(from->comm->rank);
      const auto target = static_cast<std::size_t>(to->comm->rank);
      Packed data;
      if (sends_one) {
        data = from->in_place ? from->recv.block(source).read() : from->send.whole().read();
      } else {
        data = from->in_place ? from->recv.block(target).read() : from->send.block(target).read();
      }
      results.emplace_back(to->recv.block(source), std::move(data));
    }
  }
  for (const auto& [where, data] : results) where.write(data);
}

// The number of `from`'s edge to the rank whose edge number `slot` from there this is.
std::size_t edge_to(const Part& from, const Part& to, std::size_t slot) {
  if (from.comm->topology->kind == MPI_CART) return slot ^ 1U;  // the opposite direction
  const std::vector<int>& sources = to.comm->topology->sources;
  const std::vector<int>& destinations = from.comm->topology->destinations;
  auto before = std::count(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(slot),
                           from.comm->rank);
  for (std::size_t edge = 0; edge < destinations.size(); ++edge) {
    if (destinations[edge] == to.comm->rank && before-- == 0) return edge;
  }
  return 0;
}

void do_neighbors(const Parts& all) {
  for (Part* const to : all) {
    const std::vector<int>& sources = to->comm->topology->sources;
    for (std::size_t slot = 0; slot < sources.size(); ++slot) {
      if (sources[slot] == MPI_PROC_NULL) continue;
      const Part& from = *all[static_cast<std::size_t>(sources[slot])];
      const Block block = from.collective == Collective::neighbor_allgather
                              ? from.send.whole()
                              : from.send.block(edge_to(from, *to, slot));
      to->recv.block(slot).write(block.read());
    }
  }
}

void perform(const Parts& all) {
  const Collective what = all.front()->collective;
  if (what == Collective::barrier) return;
  if (stretto::reduces(what)) return do_reductions(all);
  if (stretto::is_rooted(what)) return do_rooted(all);
  if (stretto::is_neighborhood(what)) return do_neighbors(all);
  do_all(all);
}

Side side_of(Entered& at, const void* base, stretto::Count count, const stretto::Numbers& counts,
             const stretto::Numbers& displs, MPI_Datatype type, const MPI_Datatype* types,
             std::size_t blocks) {
  Side side{.base = const_cast<std::byte*>(static_cast<const std::byte*>(base)), .count = count};
  side.type = at.type(type == MPI_Datatype{} || type == MPI_DATATYPE_NULL ? MPI_BYTE : type);
  for (std::size_t i = 0; counts && i < blocks; ++i) {
    side.counts.push_back(counts[i]);
    if (displs) side.displs.push_back(displs[i]);
    if (types != nullptr) side.types.push_back(at.type(counts[i] > 0 ? types[i] : MPI_BYTE));
  }
  return side;
}

std::shared_ptr<Part> part_of(Entered& at, const stretto::Call& call) {
  const auto part = std::make_shared<Part>();
  part->collective = call.collective;
  part->uneven = call.uneven;
  part->comm = at.comm_pointer();
  part->root = call.root;
  part->in_place =
      (call.collective == Collective::scatter ? call.recvbuf : call.sendbuf) == MPI_IN_PLACE;
  part->type_handle = call.recvtype;
  if (stretto::reduces(call.collective)) part->op = at.op(call.op);
  std::size_t to = part->comm->others().size();
  std::size_t from = to;
  if (stretto::is_neighborhood(call.collective)) {
    to = part->comm->topology->destinations.size();
    from = part->comm->topology->sources.size();
  } else if (call.collective == Collective::reduce_scatter) {
    from = part->comm->own().size();
  }
  const bool has_root = stretto::is_rooted(call.collective);
  if (has_root && !part->is_root()) {
    (call.collective == Collective::gather ? from : to) = 0;
  }
  part->send = side_of(at, call.sendbuf, call.sendcount, call.sendcounts, call.senddispls,
                       call.sendtype, call.sendtypes, to);
  part->recv = side_of(at, call.recvbuf, call.recvcount, call.recvcounts, call.recvdispls,
                       call.recvtype, call.recvtypes, from);
  return part;
}

// Whoever comes last runs it.
std::shared_ptr<Meeting> come(Entered& at, const std::string& name, std::shared_ptr<Part> part,
                              bool waits) {
  const CommPointer comm = part->comm;
  return meet(
      at, comm, name, std::move(part),
      [&](Meeting& all) {
        Parts parts;
        for (const auto& each : all.given) parts.push_back(static_cast<Part*>(each.get()));
        perform(parts);
        for (const Part* each : parts) {
          const RequestPointer request = each->request.lock();
          if (request != nullptr) complete(at.job, *request, MPI_SUCCESS);
        }
      },
      waits);
}

}  // namespace

int collective(Entered& at, const std::string& name, const stretto::Call& call,
               MPI_Request* request) {
  if (!at.has_comm()) return at.refused();
  const std::shared_ptr<Part> part = part_of(at, call);
  const auto members = static_cast<int>(part->comm->context->ranks());
  const bool has_root = part->is_inter() || (call.root >= 0 && call.root < members);
  if (!has_root) return at.raise(MPI_ERR_ROOT);
  const bool has_op = part->op != nullptr && call.recvcount > 0;
  if (has_op && check(*part->op, *part->recv.type) != MPI_SUCCESS) return at.raise(MPI_ERR_OP);
  if (request == nullptr) {
    come(at, name, part, true);
    return at.result(at.planned());
  }
  const auto made = std::make_shared<Request>();
  part->request = made;
  made->kind = Request::Kind::collective;
  made->comm = call.comm;
  if (call.form == stretto::Form::persistent) {
    if (at.fails()) return at.refused();
    made->persistent = true;
    made->active = false;
    made->begin = [name, part](Entered& by, const RequestPointer& /*self*/) {
      come(by, name, part, false);
    };
  } else {
    come(at, name, part, false);
    if (at.planned() != MPI_SUCCESS) return at.refused();
  }
  *request = at.rank.requests.add(made);
  return MPI_SUCCESS;
}

}  // namespace fake_mpi
