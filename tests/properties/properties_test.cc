// Laws on graphs that RapidCheck draws: the same ones every time, unless RC_PARAMS (as in
// RC_PARAMS="max_success=10000 seed=7") asks for more or others. What fails shrinks towards few
// facts, groups and steps.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <string>

#include "tests/properties/graph_checks.h"
#include "tests/support/random_graph.h"

namespace vecc::test {
namespace {

RandomGraphOptions draw_options() {
  RandomGraphOptions options;
  options.seed = *rc::gen::arbitrary<std::uint32_t>();
  options.facts = *rc::gen::inRange(1u, 17u);
  options.groups = *rc::gen::inRange(0u, 11u);
  options.neurons = *rc::gen::inRange(1u, 9u);
  options.depth = *rc::gen::oneOf(rc::gen::inRange(0u, 7u), rc::gen::inRange(0u, 51u));
  options.side = *rc::gen::inRange(1u, 5u);
  return options;
}

/// Holds for random graphs: `check(RandomGraph)` is "".
template <class Check>
bool holds(const std::string& name, Check check, bool exact = false) {
  return rc::check(name, [&] {
    RandomGraphOptions options = draw_options();
    options.exact = exact;
    const std::string problem = check(random_graph(options));
    if (problem.empty()) return;
    RC_FAIL(problem + "\nRandomGraphOptions{.seed = " + std::to_string(options.seed) +
            ", .facts = " + std::to_string(options.facts) + ", .groups = " +
            std::to_string(options.groups) + ", .neurons = " + std::to_string(options.neurons) +
            ", .depth = " + std::to_string(options.depth) +
            ", .side = " + std::to_string(options.side) +
            ", .exact = " + (options.exact ? "true" : "false") + "}");
  });
}

TEST(Properties, ReferenceIsRight) {
  EXPECT_TRUE(holds("reference is right", check_reference));
}

TEST(Properties, BackendsAgree) {
  EXPECT_TRUE(holds("backends agree",
                    [](const RandomGraph& r) { return check_agreement(r.graph, false, false); }));
}

TEST(Properties, BackendsAgreeOnTies) {
  EXPECT_TRUE(holds(
      "backends agree on ties",
      [](const RandomGraph& r) { return check_agreement(r.graph, true, false); }, true));
}

TEST(Properties, ProgramTextRoundTrips) {
  EXPECT_TRUE(holds("Program text round-trips",
                    [](const RandomGraph& r) { return check_program_text(r.graph); }));
}

TEST(Properties, FileRoundTripsPlain) {
  EXPECT_TRUE(holds("file round-trips", [](const RandomGraph& r) {
    return check_round_trip(r.graph, Compression::None);
  }));
}

TEST(Properties, FileRoundTripsGzip) {
  EXPECT_TRUE(holds("gzip file round-trips", [](const RandomGraph& r) {
    return check_round_trip(r.graph, Compression::Gzip);
  }));
}

TEST(Properties, FileRoundTripsZstd) {
  EXPECT_TRUE(holds("zstd file round-trips", [](const RandomGraph& r) {
    return check_round_trip(r.graph, Compression::Zstd);
  }));
}

}  // namespace
}  // namespace vecc::test

int main(int argc, char** argv) {
  constexpr int kKeepTheCallers = 0;
  setenv("RC_PARAMS", "max_success=400 seed=1", kKeepTheCallers);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
