#include <algorithm>

#include "programs/schedule/describe.hpp"
#include "programs/schedule/verbs.hpp"
#include "schedule/verify.hpp"

namespace stretto::programs {
namespace {

constexpr Count kMostShown = 4096;  // every rank's steps are held at once

Count largest_step(std::span<const Schedule> ranks) {
  Count largest = 1;
  for (const Schedule& schedule : ranks) {
    for (const Step& step : schedule.steps) {
      largest = std::max({largest, step.from.span.count, step.to.span.count});
    }
  }
  return largest;
}

// For a picture everything must be visible: the largest message takes twice as
// long as an empty one, and reducing as much takes as long as an empty message.
Weights picture_weights(std::span<const Schedule> ranks) {
  const double per_element = 1.0 / static_cast<double>(largest_step(ranks));
  return {.alpha = 1, .beta = per_element, .gamma = per_element};
}

}  // namespace

int show(Arguments& arguments, std::ostream& out) {
  const Request request = read_request_with_layout(arguments, kMostShown);
  const std::vector<Schedule> ranks =
      build_all(request.algorithm->build, request.shape, request.layout);
  const Timeline timeline = simulate(ranks, picture_weights(ranks));

  std::string text;
  Json json(text);
  json.begin_object();
  write_request(json, request);
  write_cost(json, stretto::cost(ranks, request.layout));
  json.field("end", timeline.end).key("ranks").begin_array();
  for (const Schedule& schedule : ranks) {
    const auto& when = timeline.ranks[static_cast<std::size_t>(schedule.rank)];
    json.begin_object().field("scratch", schedule.scratch).key("steps").begin_array();
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
      write_step(json, schedule, static_cast<StepId>(i), when[i]);
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  out << text << '\n';
  return kOk;
}

int cost(Arguments& arguments, std::ostream& out) {
  const Request request = read_request_with_layout(arguments, kMostShown);
  std::string text;
  Json json(text);
  json.begin_object();
  write_request(json, request);
  const auto ranks = build_all(request.algorithm->build, request.shape, request.layout);
  write_cost(json, stretto::cost(ranks, request.layout));
  json.end_object();
  out << text << '\n';
  return kOk;
}

}  // namespace stretto::programs
