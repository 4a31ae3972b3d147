// What a rank reports, as stretto/data/virtual_times.py reads it.
#include "model/rank_report.hpp"

#include <gtest/gtest.h>

namespace stretto::model {
namespace {

TEST(RankReport, SaysWhatItsClocksShowAndItsCallSitesTook) {
  std::vector<Scenario> scenarios(2);
  scenarios[0].name = "sim";
  scenarios[1].name = "zero";
  const std::vector<double> ends{1500.5, 900};
  CallSiteTimes times;
  times.add(8, {.before = 10, .free = 30, .after = 100});
  times.add(8, {.before = 200, .free = 150, .after = 210});
  std::string out;
  Json json(out);
  json.begin_object();
  write(json,
        {.computed_ns = 700,
         .blocked_ns = 20,
         .ends = ends,
         .flags = {{"polls", 3}},
         .call_sites = {{{"MPI_Bcast", "a.out", 64, "main", false, 4}, times}}},
        scenarios);
  json.end_object();
  EXPECT_EQ(
      out,
      R"({"computed_ns":700,"blocked_ns":20,"clocks":[{"scenario":"sim","end_ns":1500.5},)"
      R"({"scenario":"zero","end_ns":900}],"flags":{"polls":3},"sites":[)"
      R"({"function":"MPI_Bcast","object":"a.out","offset":64,"symbol":"main","is_source":false,"ranks":4,)"
      R"("calls":2,"bytes":16,"waiting_ns":20,"transfer_ns":80}]})");
}

}  // namespace
}  // namespace stretto::model
