// Launches that wait for nobody, in a row: whoever waits for several of them waits for one.
#include "backends/cuda/order_roots.h"

#include <gmock/gmock.h>

namespace vecc::cuda {
namespace {

using Waits = std::vector<std::vector<std::uint32_t>>;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(OrderRoots, whoever_is_needed_last_stands_first) {
  const Waits before{{}, {}, {}, {0, 1}, {3}, {2, 4}};
  EXPECT_THAT(order_roots(before, {true, true, true, true, true, true}), ElementsAre(2, 0, 1));
}

TEST(OrderRoots, only_small_ones_that_others_wait_for) {
  const Waits before{{}, {}, {}, {}, {0, 1, 3}, {}};
  EXPECT_THAT(order_roots(before, {true, false, true, true, true, true}), ElementsAre(0, 3));
}

TEST(OrderRoots, one_alone_is_no_row) {
  EXPECT_THAT(order_roots(Waits{{}, {}, {0, 1}}, {true, false, true}), IsEmpty());
  EXPECT_THAT(order_roots({}, {}), IsEmpty());
}

}  // namespace
}  // namespace vecc::cuda
