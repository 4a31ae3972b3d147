#include "model/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/lines.hpp"
#include "base/number.hpp"
#include "base/words.hpp"
#include "programs/schedule/verbs.hpp"

namespace stretto::programs {
namespace {

constexpr int kMostRanks = 1 << 24;

double nanoseconds(Arguments& arguments, std::string_view option) {
  const auto value = arguments.text(option);
  if (!value) return 0;
  const auto number = number_in<double>(*value);
  if (!number || !std::isfinite(*number) || *number < 0) {
    throw BadInput(words(option, " must be a number of nanoseconds, not '", *value, "'"));
  }
  return *number;
}

model::Noise read_noise(Arguments& arguments) {
  const model::Noise noise{
      .period = nanoseconds(arguments, "--noise-period"),
      .lasts = nanoseconds(arguments, "--noise-lasts"),
      .seed = static_cast<std::uint64_t>(arguments.number("--seed", 0).value_or(1))};
  if (noise.period > 0 ? noise.lasts >= noise.period : noise.lasts > 0) {
    throw BadInput("--noise-lasts must be shorter than --noise-period");
  }
  return noise;
}

// One number of nanoseconds a rank, in order of ranks.
std::vector<double> read_arrivals(std::optional<std::string_view> path, int ranks) {
  std::vector<double> arrivals(static_cast<std::size_t>(ranks));
  if (!path) return arrivals;
  const auto text = read_file(std::string(*path));
  if (!text) throw BadInput(words("--arrivals ", *path, ": cannot be read"));
  WordReader numbers(*text);
  for (double& arrival : arrivals) {
    if (!numbers.read(arrival) || !std::isfinite(arrival) || arrival < 0) {
      throw BadInput(words("--arrivals ", *path, ": not ", ranks, " numbers of nanoseconds"));
    }
  }
  return arrivals;
}

model::Path read_path(Arguments& arguments) {
  const auto name = arguments.text("--path").value_or("any");
  if (name == "any") return model::Path::any;
  if (name == "events") return model::Path::events;
  if (name == "rounds") return model::Path::rounds;
  throw BadInput(words("--path is any, events or rounds, not '", name, "'"));
}

void print(const model::Answer& answer, const Request& request, bool every_end, std::ostream& out) {
  const auto& ends = answer.outcome.ends;
  const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
  std::string text;
  Json json(text);
  json.begin_object()
      .field("collective", name_of(request.shape.collective))
      .field("algorithm", request.algorithm->name)
      .field("ranks", request.shape.size)
      .field("count", request.shape.count)
      .field("path", answer.path == model::Path::rounds ? "rounds" : "events")
      .field("end_ns", *last)
      .field("first_end_ns", *first)
      .field("mean_end_ns",
             std::accumulate(ends.begin(), ends.end(), 0.0) / static_cast<double>(ends.size()))
      .field("messages", answer.outcome.messages)
      .field("events", answer.outcome.events)
      .field("build_s", answer.build_s)
      .field("run_s", answer.run_s);
  if (every_end) {
    json.key("ends_ns").begin_array();
    for (const double end : ends) json.value(end);
    json.end_array();
  }
  json.end_object();
  out << text << '\n';
}

}  // namespace

Machine read_machine(Arguments& arguments) {
  const auto path = arguments.text("--machine");
  if (!path) throw BadInput("--machine is missing");
  return read_machine(*path);
}

Machine read_machine(std::string_view path) {
  const auto text = read_file(std::string(path));
  if (!text) throw BadInput(words("--machine ", path, ": cannot be read"));
  try {
    return stretto::read_machine(*text);
  } catch (const BadMachine& bad) {
    throw BadInput(bad.what());
  }
}

int simulate(Arguments& arguments, std::ostream& out) {
  const Machine machine = read_machine(arguments);
  model::Conditions conditions{.noise = read_noise(arguments)};
  const auto arrivals = arguments.text("--arrivals");
  const bool every_end = arguments.flag("--ends");
  model::Question question;
  question.path = read_path(arguments);
  question.element_bytes = arguments.number("--element-bytes", 1, 1 << 20).value_or(1);
  question.signal_bytes = arguments.number("--signal-bytes", 0, 1 << 20).value_or(0);
  const Request request = read_request(arguments, kMostRanks);
  constexpr double kMostBytes = 1e18;  // of all ranks' blocks together
  if (static_cast<double>(request.shape.count) * request.shape.size *
          static_cast<double>(question.element_bytes) >
      kMostBytes) {
    throw BadInput("the vectors of all ranks together are longer than 1e18 bytes");
  }
  question.algorithm = request.algorithm;
  question.shape = request.shape;
  conditions.arrivals = read_arrivals(arrivals, request.shape.size);
  try {
    print(model::simulate(question, machine, conditions), request, every_end, out);
  } catch (const model::Unsuited& unsuited) {
    std::cerr << "stretto-schedule: " << unsuited.what() << '\n';
    return kUnsuited;
  }
  return kOk;
}

}  // namespace stretto::programs
