#include "engine/operation.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace stretto {
namespace {

std::vector<Piece> packed_parts(std::byte* memory, const std::vector<Count>& parts) {
  std::vector<Piece> pieces;
  for (const Count bytes : parts) {
    pieces.push_back(packed_at(memory, bytes));
    memory += bytes;
  }
  return pieces;
}

bool is_message(const Step& step) {
  return step.kind == StepKind::send || step.kind == StepKind::recv;
}

Span message_span(const Step& step) {
  return step.kind == StepKind::send ? step.from.span : step.to.span;
}

// Copied or sent in about the time that it takes to give the lock up and to take it again.
constexpr Count kBrief = 1024;

}  // namespace

Operation::Operation(Task task) : task_(std::move(task)) {
  const Plan& plan = *task_.plan;
  const std::vector<Count>& parts = task_.binding.scratch_parts;
  if (parts.empty()) {
    scratch_memory_ = Storage(task_.binding.scratch, plan.schedule.scratch);
    scratch_ = {scratch_memory_.base(), task_.binding.scratch};
  } else if (plan.schedule.scratch > 0) {
    const Count bytes = std::reduce(parts.begin(), parts.end());
    scratch_memory_ = Storage(Element::bytes_of(1), bytes);
    scratch_.parts = packed_parts(static_cast<std::byte*>(scratch_memory_.base()), parts);
  }
  for (const Step& step : plan.schedule.steps) {
    if (is_message(step) && message(step).bytes > kShortMessage) all_short_ = false;
  }
  prepare();
}

// What is to be done, all of it.
void Operation::prepare() {
  const std::vector<Step>& steps = task_.plan->schedule.steps;
  waits_left_.resize(steps.size());
  for (std::size_t s = 0; s < steps.size(); ++s) waits_left_[s] = steps[s].waits;
  const Binding& binding = task_.binding;
  const bool may_follow = !task_.plan->reductions.empty() && !binding.calls_program;
  if (may_follow && !all_short_) reduced_.assign(steps.size(), kNotFollowed);
  left_ =
      static_cast<std::int32_t>(steps.size()) + (binding.before ? 1 : 0) + (binding.after ? 1 : 0);
  ready_.reserve(steps.size());
  ++comm().operations;
}

Operation::~Operation() {
  if (rests()) return;
  // The communicator may go as soon as nothing runs on it, and the tags are given back to it.
  task_.tags.reset();
  --comm().operations;
}

void Operation::find_courses() {
  const Plan& plan = *task_.plan;
  courses_.reserve(plan.sent.size() + plan.received.size());
  const auto add = [this](Sequence& sequence, Rank rank, std::int32_t messages) {
    const Route route = comm().routes.to(rank);
    courses_.push_back({.sequence = &sequence,
                        .route = route,
                        .messages = messages,
                        .is_brief = route.transport->calls_nothing()});
  };
  for (const auto& [peer, messages] : plan.sent) {
    const Rank rank = task_.rank_of(peer);
    add(tags().to(rank), rank, messages);
  }
  for (const auto& [peer, messages] : plan.received) {
    const Rank rank = task_.rank_of(peer);
    add(tags().from(rank), rank, messages);
  }
  stays_on_host_ = std::ranges::all_of(
      courses_, [](const Course& course) { return course.route.transport->stays_on_host(); });
}

void Operation::take_numbers() {
  if (courses_.empty()) find_courses();
  for (Course& course : courses_) {
    course.first = course.sequence->take(static_cast<std::uint64_t>(course.messages));
  }
}

void Operation::begin() {
  take_numbers();
  if (task_.binding.before) {
    to_compute_.push_back(kBefore);
    return;
  }
  ready_ = task_.plan->ready;
  sort_ready();
}

Binding::Copy Operation::local(const Step& step) const {
  return {.from = block(step.from.buffer).piece(step.from.span),
          .to = block(step.to.buffer).piece(step.to.span)};
}

// Under the lock, as it runs no function of the program's. False where it has to wait.
bool Operation::copy_at_once(const Step& step) const {
  const auto [from, to] = local(step);
  return from.plain && to.plain && from.bytes <= kBrief && copy(from, to) == MPI_SUCCESS;
}

void Operation::sort_ready() {
  while (next_ready_ < ready_.size()) {
    const StepId id = ready_[next_ready_++];
    const Step& next = step(id);
    if (next.kind == StepKind::copy && copy_at_once(next)) {
      complete(id);
    } else if (!is_message(next)) {
      to_compute_.push_back(id);
    } else if (message_span(next).count > 0 && message(next).bytes == 0) {
      // Both ends know that a block is empty (MPI 4.1, 6.8 and on: the amounts sent and received
      // are equal), and nobody sends it.
      give_up_number(id);
      complete(id);
    } else {
      to_post_.push_back(id);
    }
  }
  if (left_ == 1 && task_.binding.after) to_compute_.push_back(kAfter);
}

bool Operation::post_at_once() {
  int error = MPI_SUCCESS;
  const std::uint64_t width = tags().width();
  const auto posted = std::erase_if(to_post_, [&](StepId id) {
    const Course& course = course_of(id);
    const std::uint64_t number = number_of(id);
    if (error != MPI_SUCCESS || !course.is_brief || !course.sequence->may_post(number, width)) {
      return false;
    }
    const Piece data = message(step(id));
    if (!data.plain || data.bytes > kBrief) return false;
    error = post(id, data, course.route, number);
    waits_left_[static_cast<std::size_t>(id)] = kPosted;
    course.sequence->post(number);
    if (error == MPI_SUCCESS) ++in_flight_;
    return true;
  });
  if (error != MPI_SUCCESS) fail(error);
  return posted > 0;
}

void Operation::take_posts(std::vector<Post>& posts) {
  std::erase_if(to_post_, [&](StepId id) {
    const bool may = course_of(id).sequence->may_post(number_of(id), tags().width());
    if (may) {
      posts.push_back({.operation = this, .step = id});
      follow(id);
      waits_left_[static_cast<std::size_t>(id)] = kPosted;
      ++posting_;
    }
    return may;
  });
}

int Operation::post(StepId id) {
  return post(id, message(step(id)), course_of(id).route, number_of(id));
}

int Operation::post(StepId id, const Piece& data, const Route& route, std::uint64_t number) {
  Transport::Endpoint end{.group = route.group,
                          .peer = route.peer,
                          .tag = tags().tag(number),
                          .is_blocking = !background,
                          .written_anew = sends_anew(plan().algorithm->collective)};
  if (step(id).kind == StepKind::send) return route.transport->post_send(data, end, {this, id});
  if (is_followed(id)) end.follower = this;
  return route.transport->post_recv(data, end, {this, id});
}

void Operation::posted(StepId id, int error) {
  // Not before it was: who follows on its tag would overtake it.
  course_of(id).sequence->post(number_of(id));
  --posting_;
  if (error != MPI_SUCCESS) {
    fail(error);
    return;
  }
  ++in_flight_;
  cancels_ = cancels_ || error_ != MPI_SUCCESS;
}

void Operation::message_done(StepId id, int error) {
  --in_flight_;
  if (error != MPI_SUCCESS) {
    fail(error);
    return;
  }
  complete(id);
  if (error_ == MPI_SUCCESS) sort_ready();
}

bool Operation::calls_mpi() const {
  if (!has_local()) return false;
  const StepId next = to_compute_[next_local_];
  if (next >= 0) return false;
  const auto& copied = next == kBefore ? task_.binding.before : task_.binding.after;
  return copied && !(copied->from.plain && copied->to.plain);
}

bool Operation::copies_for_itself() const {
  if (!has_local()) return false;
  const StepId next = to_compute_[next_local_];
  if (next < 0 || step(next).kind != StepKind::copy) return false;
  const auto at = static_cast<std::size_t>(next);
  return task_.plan->first_dependent[at] == task_.plan->first_dependent[at + 1];
}

StepId Operation::take_local() {
  computing_ = true;
  return to_compute_[next_local_++];
}

void Operation::keep_floating_point() {
  if (task_.binding.op != MPI_Op{}) floating_point_ = FloatingPointMode::current();
}

int Operation::compute(StepId id) const {
  if (id == kBefore || id == kAfter) {
    const auto& copied = id == kBefore ? task_.binding.before : task_.binding.after;
    return copied ? copy(copied->from, copied->to) : MPI_SUCCESS;
  }
  const Step& computed = step(id);
  const auto [from, to] = local(computed);
  if (computed.kind == StepKind::copy) return copy(from, to);
  const FloatingPointScope as_begun(floating_point_);
  const Count begun = reduced_.empty() ? kNotFollowed : reduced_[static_cast<std::size_t>(id)];
  if (begun <= 0) return combine(computed, from, to);
  return reduce_part(computed, {begun, computed.to.span.count - begun});
}

void Operation::computed(StepId id, int error) {
  computing_ = false;
  if (error != MPI_SUCCESS) {
    fail(error);
    return;
  }
  if (id >= 0) {
    complete(id);
  } else {
    --left_;
    if (id == kBefore) ready_ = task_.plan->ready;
  }
  if (error_ == MPI_SUCCESS) sort_ready();
}

void Operation::complete(StepId id) {
  --left_;
  const auto step = static_cast<std::size_t>(id);
  for (auto d = task_.plan->first_dependent[step]; d < task_.plan->first_dependent[step + 1]; ++d) {
    const StepId dependent = task_.plan->dependents[static_cast<std::size_t>(d)];
    if (--waits_left_[static_cast<std::size_t>(dependent)] == 0) ready_.push_back(dependent);
  }
}

// What is never posted must not keep later operations waiting.
void Operation::give_up_number(StepId id) {
  gave_up_ = true;
  course_of(id).sequence->post(number_of(id));
  waits_left_[static_cast<std::size_t>(id)] = kPosted;
}

void Operation::fail(int error) {
  if (error_ != MPI_SUCCESS) return;  // the first one counts
  error_ = error;
  cancels_ = in_flight_ > 0;
  to_post_.clear();
  to_compute_.clear();
  next_local_ = 0;
  for (std::size_t s = 0; s < waits_left_.size(); ++s) {
    if (task_.plan->traffic_of[s] >= 0 && waits_left_[s] != kPosted) {
      give_up_number(static_cast<StepId>(s));
    }
  }
}

bool Operation::over() const {
  if (computing_ || cancels_ || posting_ > 0) return false;
  return error_ == MPI_SUCCESS ? left_ == 0 : in_flight_ == 0;
}

bool uses_type(const Binding& binding, MPI_Datatype type) {
  const auto is_of = [type = opaque(type)](const Piece& piece) { return piece.type == type; };
  const auto has = [&](const Block& block) {
    return block.element.type == type || std::ranges::any_of(block.parts, is_of);
  };
  const auto moves = [&](const std::optional<Binding::Copy>& copy) {
    return copy && (is_of(copy->from) || is_of(copy->to));
  };
  return has(binding.send) || has(binding.recv) || binding.scratch.type == type ||
         moves(binding.before) || moves(binding.after);
}

Piece Operation::message(const Step& step) const {
  const Region& data = step.kind == StepKind::send ? step.from : step.to;
  // A signal; not all of a call's buffers mean anything on all ranks.
  if (data.span.count == 0) return Block{nullptr, Element::bytes_of(1)}.piece({0, 0});
  return block(data.buffer).piece(data.span);
}

const Block& Operation::block(Buffer buffer) const {
  switch (buffer) {
    case Buffer::send:
      return task_.binding.send;
    case Buffer::recv:
      return task_.binding.recv;
    case Buffer::scratch:
      break;
  }
  return scratch_;
}

}  // namespace stretto
