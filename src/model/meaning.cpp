#include "model/meaning.hpp"

#include <algorithm>
#include <numeric>

namespace stretto::model {
namespace {

double latest(const std::vector<double>& times) {
  return *std::max_element(times.begin(), times.end());
}

}  // namespace

void end_if_free(Collective collective, Rank root, const std::vector<double>& arrivals,
                 std::vector<double>& ends) {
  ends = arrivals;
  const auto top = static_cast<std::size_t>(root);
  switch (collective) {
    case Collective::bcast:
    case Collective::scatter:
      for (double& end : ends) end = std::max(end, arrivals[top]);
      break;
    case Collective::reduce:
    case Collective::gather:
      ends[top] = latest(arrivals);
      break;
    case Collective::scan:
    case Collective::exscan:
      std::partial_sum(ends.begin(), ends.end(), ends.begin(),
                       [](double a, double b) { return std::max(a, b); });
      break;
    default:
      std::fill(ends.begin(), ends.end(), latest(arrivals));
      break;
  }
}

}  // namespace stretto::model
