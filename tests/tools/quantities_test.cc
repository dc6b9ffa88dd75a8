// Numbers as texts, and statistics of times.
#include <gtest/gtest.h>

#include <limits>

#include "src/support/quantity_text.h"
#include "src/support/value_text.h"
#include "tools/common/timing.h"

namespace vecc::tools {
namespace {

TEST(Quantities, counts_bytes_and_seconds) {
  EXPECT_EQ(text_of_count(0), "0");
  EXPECT_EQ(text_of_count(999), "999");
  EXPECT_EQ(text_of_count(1000), "1,000");
  EXPECT_EQ(text_of_count(1234567), "1,234,567");
  EXPECT_EQ(text_of_count(1, "edge"), "1 edge");
  EXPECT_EQ(text_of_count(1000, "edge"), "1,000 edges");
  EXPECT_EQ(text_of_bytes(1023), "1023 B");
  EXPECT_EQ(text_of_bytes(1024), "1.0 KB");
  EXPECT_EQ(text_of_bytes((1 << 20) - 1), "1.0 MB");
  EXPECT_EQ(text_of_bytes(std::numeric_limits<std::uint64_t>::max()), "16.0 EB");
  EXPECT_EQ(text_of_seconds(0), "0.0 us");
  EXPECT_EQ(text_of_seconds(0.0123), "12.3 ms");
  EXPECT_EQ(text_of_seconds(75.5), "75.500 s");
}

TEST(Quantities, numbers_are_the_shortest_that_read_back) {
  EXPECT_EQ(text_of_number(0.1, false), "0.1");
  EXPECT_EQ(text_of_number(static_cast<double>(0.1f), true), "0.1");
  EXPECT_EQ(text_of_number(static_cast<double>(0.1f), false), "0.10000000149011612");
  EXPECT_EQ(text_of_number(0.1, true), "0.1");  // no float: a double's digits
  EXPECT_EQ(text_of_number(1.0 / 3, true), "0.3333333333333333");
  EXPECT_EQ(text_of_number(1e300, true), "1e+300");
  EXPECT_EQ(text_of_number(-0.0, true), "-0");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(text_of_number(infinity, true), "Infinity");
  EXPECT_EQ(text_of_number(-infinity, false), "-Infinity");
  EXPECT_EQ(text_of_number(std::numeric_limits<double>::quiet_NaN(), true), "NaN");
}

TEST(Quantities, timing_statistics) {
  const double one[] = {3};
  EXPECT_EQ(summarize_timing(one).median, 3);
  EXPECT_EQ(summarize_timing(one).p90, 3);
  const double ten[] = {10, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Timing timing = summarize_timing(ten);
  EXPECT_EQ(timing.runs, 10u);
  EXPECT_EQ(timing.first, 10);
  EXPECT_EQ(timing.median, 5.5);
  EXPECT_EQ(timing.min, 1);
  EXPECT_EQ(timing.p90, 9);
}

}  // namespace
}  // namespace vecc::tools
