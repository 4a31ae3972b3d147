#include "base/number.hpp"
#include "programs/schedule/arguments.hpp"
#include "schedule/verify_layouts.hpp"
#include "schedule/verify_words.hpp"

namespace stretto::programs {
namespace {

// Takes what is before the next `separator` off the text.
std::string_view take_part(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

int read_size(std::string_view text, std::string_view whole) {
  const auto size = number_in<int>(text);
  if (!size || *size < 1) {
    throw BadInput(words("--layout ", whole, ": '", text, "' is no number of ranks; write host=4, ",
                         "host=3+1 for hosts that differ, 'core complex=2,host=8' for levels"));
  }
  return *size;
}

std::vector<LevelSizes> read_levels(std::string_view whole) {
  std::vector<LevelSizes> levels;
  for (std::string_view rest = whole; !rest.empty();) {
    std::string_view sizes = take_part(rest, ',');
    LevelSizes& level = levels.emplace_back(std::string(take_part(sizes, '=')));
    do {
      level.sizes.push_back(read_size(take_part(sizes, '+'), whole));
    } while (!sizes.empty());
  }
  return levels;
}

Placement read_placement(std::optional<std::string_view> name) {
  if (!name || *name == "in-order") return Placement::in_order;
  if (*name == "round-robin") return Placement::round_robin;
  if (*name == "shuffled") return Placement::shuffled;
  throw BadInput(words("--placement is in-order, round-robin or shuffled, not '", *name, "'"));
}

}  // namespace

Request read_request_with_layout(Arguments& arguments, Count most_ranks) {
  const auto levels = arguments.text("--layout");
  const Placement placement = read_placement(arguments.text("--placement"));
  Request request = read_request(arguments, most_ranks);
  if (levels) {
    request.layout = layout_of_places(read_levels(*levels), request.shape.size, placement);
  } else if (placement != Placement::in_order) {
    throw BadInput("--placement needs a --layout");
  }
  return request;
}

}  // namespace stretto::programs
