#include "model/call_site.hpp"

#include <algorithm>

namespace stretto::model {

void CallSiteTimes::add(std::int64_t of_bytes, const Waited& waited) {
  ++calls;
  bytes += of_bytes;
  waiting_ns += waited.waiting();
  transfer_ns += waited.after - std::max(waited.free, waited.before);
}

}  // namespace stretto::model
