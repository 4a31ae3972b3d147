#include "programs/schedule/arguments.hpp"

#include "base/number.hpp"
#include "base/words.hpp"
#include "schedule/verify_meaning.hpp"

namespace stretto::programs {
namespace {

std::string known_collectives() {
  std::string names;
  for (int i = 0; i < kCollectives; ++i) {
    names += words(i == 0 ? "" : ", ", name_of(static_cast<Collective>(i)));
  }
  return names;
}

std::string known_algorithms(Collective collective) {
  std::string names;
  for (const Algorithm* each : algorithms()) {
    if (each->collective == collective) names += words(names.empty() ? "" : ", ", each->name);
  }
  return names;
}

bool is_option(std::string_view word) { return word.starts_with('-'); }

Count required(std::optional<Count> value, std::string_view option) {
  if (!value) throw BadInput(words(option, " is missing"));
  return *value;
}

}  // namespace

Arguments::Arguments(int argc, char** argv) {
  for (const char* arg : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    const std::string_view word = arg;
    if (word == "--help" || word == "-h") {
      help_ = true;
    } else if (verb_.empty() && !is_option(word)) {
      verb_ = word;
    } else if (words_.empty() && collective_.empty() && !is_option(word)) {
      collective_ = word;
    } else {
      words_.push_back({word});
    }
  }
}

std::optional<Collective> Arguments::collective() const {
  if (collective_.empty()) return {};
  if (const auto found = find_collective(collective_)) return found;
  throw BadInput(words("unknown collective '", collective_, "': ", known_collectives()));
}

Arguments::Word* Arguments::find(std::string_view option) {
  for (Word& word : words_) {
    if (word.text == option && !word.used) {
      word.used = true;
      return &word;
    }
  }
  return nullptr;
}

std::optional<std::string_view> Arguments::text(std::string_view option) {
  Word* word = find(option);
  if (word == nullptr) return {};
  Word* value = word + 1;
  if (value == words_.data() + words_.size() || value->text.starts_with("--")) {
    throw BadInput(words(option, " needs a value"));
  }
  value->used = true;
  return value->text;
}

std::optional<Count> Arguments::number(std::string_view option, Count least, Count most) {
  const auto value = text(option);
  if (!value) return {};
  const auto number = number_in<Count>(*value);
  if (!number || *number < least || *number > most) {
    const std::string range = most == std::numeric_limits<Count>::max()
                                  ? words("of at least ", least)
                                  : words("from ", least, " to ", most);
    throw BadInput(words(option, " must be a whole number ", range, ", not '", *value, "'"));
  }
  return number;
}

bool Arguments::flag(std::string_view option) { return find(option) != nullptr; }

void Arguments::reject_others(std::string_view subject) const {
  for (const Word& word : words_) {
    if (!word.used) throw BadInput(words("'", word.text, "' does not apply to ", subject));
  }
}

const Algorithm& known_algorithm(Collective collective, std::string_view name) {
  if (const Algorithm* found = find_algorithm(collective, name)) return *found;
  throw BadInput(words("unknown algorithm '", name, "' for ", name_of(collective), ": ",
                       known_algorithms(collective)));
}

Request read_request(Arguments& arguments, Count most_ranks) {
  const auto collective = arguments.collective();
  if (!collective) throw BadInput(words("name a collective: ", known_collectives()));
  const auto name = arguments.text("--algorithm");
  if (!name) throw BadInput("--algorithm is missing: " + known_algorithms(*collective));
  const Algorithm& algorithm = known_algorithm(*collective, *name);

  constexpr Count kMostElements = 1'000'000'000'000;  // far from overflow when times the ranks
  Shape shape{.collective = *collective};
  shape.size = static_cast<int>(required(arguments.number("--ranks", 1, most_ranks), "--ranks"));
  shape.count = arguments.number("--count", 0, kMostElements).value_or(0);
  if (algorithm.uses_segment) {
    shape.segment = arguments.number("--segment", 0, kMostElements).value_or(0);
  }
  if (algorithm.uses_radix) {
    shape.radix = static_cast<int>(arguments.number("--radix", 2, most_ranks).value_or(2));
  }
  if (is_rooted(*collective)) {
    shape.root = static_cast<Rank>(arguments.number("--root", 0, shape.size - 1).value_or(0));
  }
  if (is_neighborhood(*collective)) {
    shape.graph = std::make_shared<const Graph>(ring_graph(shape.size));
  }
  if (algorithm.two_groups) {
    if (shape.size < 2) throw BadInput(words("two groups have at least 2 ranks"));
    shape.first_group = shape.size / 2;
  }
  if (has_in_place(*collective) && !algorithm.two_groups)
    shape.in_place = arguments.flag("--in-place");
  arguments.reject_others(words(name_of(*collective), " ", algorithm.name));
  return {&algorithm, shape};
}

}  // namespace stretto::programs
