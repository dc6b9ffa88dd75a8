// Plans broken by hand, and what verify() says.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "vecc/plan.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

Plan plan_of(const std::string& text) {
  const auto program = parse_program(text, "p");
  if (!program) throw std::runtime_error(program.error().text());
  Plan plan = make_plan(*program);
  EXPECT_TRUE(verify(plan)) << text_of(plan, *program);
  return plan;
}

// Two launches: 0 makes rows, 1 sums some of them by segments, with a function.
Plan sums() {
  return plan_of(R"(vecc program 1 f32 samples 2
parameter "x" [4, 2x1]
%0 = weight "x" : f32[4, 2x1]
%1 = transform %0 relu : f32[4, 2x1]
%2 = gather %1 [3, 0, 1, 1, 2] : f32[5, 2x1]
%3 = segment %2 [0, 2, 5] sum : f32[2, 2x1]
%4 = transform %3 relu : f32[2, 2x1]
%5 = output %4 [0:2] : f32[2, 2x1]
)");
}

// One launch, rows in the order of types.
Plan typed() {
  return plan_of(R"(vecc program 1 f32 samples 8
parameter "w" [2, 8x8]
parameter "x" [8, 8x1]
%0 = weight "w" : f32[2, 8x8]
%1 = weight "x" : f32[8, 8x1]
%2 = gather %0 [1, 0, 0, 1, 1, 0, 1, 0] : f32[8, 8x8]
%3 = linear %2, %1 : f32[8, 8x1]
%4 = output %3 [0:8] : f32[8, 8x1]
)");
}

// One launch that stores the rows it loads.
Plan step() {
  return plan_of(R"(vecc program 1 f32 samples 0
parameter "w" [4, 1]
parameter "g" [3, 1]
%0 = weight "w" : f32[4, 1]
%1 = weight "g" : f32[3, 1]
%2 = gather %0 [3, 0, 2] : f32[3, 1]
%3 = map sum($0, elproduct($1, -0.1)) %2, %1 : f32[3, 1]
%4 = update %0, %3 [3, 0, 2] : f32[3, 1]
)");
}

// Two launches: 0 has a function of the table's rows `read`, 1 updates rows 0, 2 and 3 of it.
Plan read_and_step(const std::string& read) {
  return plan_of(R"(vecc program 1 f32 samples 1
parameter "w" [4, 1]
parameter "g" [3, 1]
%0 = weight "w" : f32[4, 1]
%1 = weight "g" : f32[3, 1]
%2 = gather %0 )" +
                 read + R"( : f32[1, 1]
%3 = transform %2 tanh : f32[1, 1]
%4 = output %3 [0:1] : f32[1, 1]
%5 = gather %0 [3, 0, 2] : f32[3, 1]
%6 = map sum($0, elproduct($1, -0.1)) %5, %1 : f32[3, 1]
%7 = update %0, %6 [3, 0, 2] : f32[3, 1]
)");
}

// Two launches: 1 stores where it reads what 0 made, at the same row.
Plan chain() {
  return plan_of(R"(vecc program 1 f32 samples 2
parameter "x" [5, 1]
%0 = weight "x" : f32[5, 1]
%1 = segment %0 [0, 2, 5] sum : f32[2, 1]
%2 = transform %1 tanh : f32[2, 1]
%3 = output %2 [0:2] : f32[2, 1]
)");
}

void expect_error(Plan plan, const std::function<void(Plan&)>& break_it, const std::string& text) {
  break_it(plan);
  const auto verified = verify(plan);
  ASSERT_FALSE(verified) << "expected: " << text;
  EXPECT_EQ(verified.error().text(), text);
}

// The number of the launch's only store, and of its first load.
std::size_t access_of(const Plan& plan, std::size_t launch, bool store) {
  const Kernel& kernel = plan.kernels[plan.launches[launch].kernel];
  std::size_t a = 0;
  while (kernel.accesses[a].store != store) ++a;
  return a;
}
AccessBinding& load_of(Plan& plan, std::size_t launch) {
  return plan.launches[launch].accesses[access_of(plan, launch, false)];
}
AccessBinding& store_of(Plan& plan, std::size_t launch) {
  return plan.launches[launch].accesses[access_of(plan, launch, true)];
}
Kernel& kernel_of(Plan& plan, std::size_t launch) {
  return plan.kernels[plan.launches[launch].kernel];
}
void set_array(Plan& plan, ArrayIndex array, std::vector<std::uint32_t> entries) {
  plan.arrays[array] = std::make_shared<const std::vector<std::uint32_t>>(std::move(entries));
}

TEST(BrokenPlan, BuffersOverlap) {
  expect_error(
      sums(),
      [](Plan& plan) {
        plan.buffers[store_of(plan, 1).buffer].offset =
            plan.buffers[store_of(plan, 0).buffer].offset;
      },
      "buffer 2: error: overlaps buffer 0, which is live, too [E031]");
}
TEST(BrokenPlan, AlignedAnywhere) {
  expect_error(
      sums(),
      [](Plan& plan) {
        kernel_of(plan, 1).accesses[access_of(plan, 1, true)].aligned = true;
        store_of(plan, 1).first = 1;
        plan.buffers[store_of(plan, 1).buffer].elements += 1;
      },
      "launch 1: error: access 1 is not aligned, it begins at 17 [E031]");
}
TEST(BrokenPlan, InPlaceOfAnotherRow) {
  expect_error(
      chain(),
      [](Plan& plan) {
        AccessBinding& load = load_of(plan, 1);
        plan.buffers[load.buffer].elements = plan.arena_elements = 16;
        plan.buffers[store_of(plan, 1).buffer].elements = 16;
        load.first = 1;
      },
      "buffer 2: error: overlaps buffer 0, which is live, too [E031]");
}
TEST(BrokenPlan, InPlaceThroughAList) {
  expect_error(
      chain(),
      [](Plan& plan) {
        kernel_of(plan, 1).accesses[access_of(plan, 1, false)].map = RowMap::List;
        plan.arrays.push_back(
            std::make_shared<const std::vector<std::uint32_t>>(std::vector<std::uint32_t>{1, 0}));
        load_of(plan, 1).list = static_cast<ArrayIndex>(plan.arrays.size() - 1);
      },
      "buffer 2: error: overlaps buffer 0, which is live, too [E031]");
}
TEST(BrokenPlan, InPlaceOfWhatIsReadLater) {
  expect_error(
      chain(),
      [](Plan& plan) {
        KernelNode late = kernel_of(plan, 1).nodes.back();
        kernel_of(plan, 1).nodes.push_back(late);
        kernel_of(plan, 1).phases.back().steps.push_back({false, 2});
      },
      "buffer 2: error: overlaps buffer 0, which is live, too [E031]");
}
TEST(BrokenPlan, InPlaceOfWhatALaterLaunchReads) {
  expect_error(
      chain(), [](Plan& plan) { plan.buffers[load_of(plan, 1).buffer].last = 2; },
      "buffer 2: error: overlaps buffer 0, which is live, too [E031]");
}
TEST(BrokenPlan, InPlaceByAKernelThatDoesNotKnow) {
  expect_error(
      chain(), [](Plan& plan) { kernel_of(plan, 1).in_place = false; },
      "buffer 2: error: overlaps buffer 0, which is live, too [E031]");
}
TEST(BrokenPlan, ReadsTheNewRowsOfAnUpdate) {
  expect_error(
      step(),
      [](Plan& plan) {
        auto& steps = kernel_of(plan, 0).phases[0].steps;
        std::swap(steps[steps.size() - 2], steps.back());  // the store, what it stores
        kernel_of(plan, 0).stores[0].value = 0;
      },
      "launch 0: error: access 0 reads what access 2 writes [E031]");
}
TEST(BrokenPlan, ReadsATableAfterItsUpdate) {
  const auto exchange = [](Plan& plan) { std::swap(plan.launches[0], plan.launches[1]); };
  expect_error(read_and_step("[3]"), exchange,
               "launch 1: error: access 0 reads rows of buffer 1 that were updated before [E031]");
  Plan others = read_and_step("[1]");  // which no update stores
  ASSERT_EQ(others.launches.size(), 2u);
  exchange(others);
  const auto verified = verify(others);
  EXPECT_TRUE(verified) << verified.error().text();
}
TEST(BrokenPlan, ABufferBehindTheArena) {
  expect_error(
      sums(), [](Plan& plan) { plan.buffers[store_of(plan, 0).buffer].offset = 1000; },
      "buffer 0: error: ends behind the arena [E031]");
}
TEST(BrokenPlan, AnAccessBehindItsBuffer) {
  expect_error(
      sums(), [](Plan& plan) { load_of(plan, 0).first = 2; },
      "launch 0: error: access 0 ends behind its buffer [E031]");
}
TEST(BrokenPlan, AListNamesNoRow) {
  expect_error(
      sums(),
      [](Plan& plan) {
        set_array(plan, load_of(plan, 1).list, {3, 0, 1, 4, 2});
      },
      "launch 1: error: access 0 names row 4 of 4 [E031]");
}
TEST(BrokenPlan, AShortList) {
  expect_error(
      sums(),
      [](Plan& plan) {
        set_array(plan, load_of(plan, 1).list, {3, 0, 1, 1});
      },
      "launch 1: error: access 0: a short list [E031]");
}
TEST(BrokenPlan, NoList) {
  expect_error(
      sums(), [](Plan& plan) { load_of(plan, 1).list = kNone; },
      "launch 1: error: access 0 has no list [E031]");
}
TEST(BrokenPlan, FewerRowsThanTheLaunch) {
  expect_error(
      sums(), [](Plan& plan) { load_of(plan, 0).rows = 3; },
      "launch 0: error: access 0 names row 3 of 3 [E031]");
}
TEST(BrokenPlan, OffsetsThatFall) {
  expect_error(
      sums(),
      [](Plan& plan) {
        set_array(plan, plan.launches[1].offsets, {0, 6, 5});
      },
      "launch 1: error: offsets that are not those of its rows [E031]");
}
TEST(BrokenPlan, NoOffsets) {
  expect_error(
      sums(), [](Plan& plan) { plan.launches[1].offsets = kNone; },
      "launch 1: error: has no offsets [E031]");
}
TEST(BrokenPlan, NobodyStoresWhatIsRead) {
  expect_error(
      sums(),
      [](Plan& plan) {
        plan.launches.erase(plan.launches.begin());
        for (PlanBuffer& buffer : plan.buffers) buffer.last = 1;
      },
      "launch 0: error: access 0 reads buffer 0, which was never written [E031]");
}
TEST(BrokenPlan, StoresWhatItReads) {
  expect_error(
      sums(), [](Plan& plan) { store_of(plan, 1).buffer = load_of(plan, 1).buffer; },
      "launch 1: error: access 0 reads what access 1 writes [E031]");
}
TEST(BrokenPlan, OtherRowsThanItStores) {
  expect_error(
      step(),
      [](Plan& plan) {
        plan.arrays.push_back(std::make_shared<const std::vector<std::uint32_t>>(
            std::vector<std::uint32_t>{0, 2, 3}));
        store_of(plan, 0).list = static_cast<ArrayIndex>(plan.arrays.size() - 1);
      },
      "launch 0: error: access 0 reads what access 2 writes [E031]");
}
TEST(BrokenPlan, ARowStoredTwice) {
  expect_error(
      step(),
      [](Plan& plan) {
        set_array(plan, store_of(plan, 0).list, {3, 0, 3});
      },
      "launch 0: error: access 2 stores a row twice [E031]");
}
TEST(BrokenPlan, AStoreIntoAConstant) {
  expect_error(
      sums(),
      [](Plan& plan) { plan.buffers[store_of(plan, 1).buffer].kind = PlanBuffer::Kind::Constant; },
      "launch 1: error: access 1 stores into a constant [E031]");
}
TEST(BrokenPlan, ALifeThatIsTooShort) {
  expect_error(
      sums(), [](Plan& plan) { plan.buffers[load_of(plan, 1).buffer].last = 0; },
      "launch 1: error: access 0 to buffer 0, which is not live [E031]");
}
TEST(BrokenPlan, NoSuchKernel) {
  expect_error(
      sums(), [](Plan& plan) { plan.launches[1].kernel = 99; },
      "launch 1: error: no such kernel [E031]");
}
TEST(BrokenPlan, NoSuchBuffer) {
  expect_error(
      sums(), [](Plan& plan) { load_of(plan, 0).buffer = 99; },
      "launch 0: error: no such buffer or array [E031]");
}
TEST(BrokenPlan, NoSuchList) {
  expect_error(
      sums(), [](Plan& plan) { load_of(plan, 1).list = 99; },
      "launch 1: error: no such buffer or array [E031]");
}
TEST(BrokenPlan, TooFewWords) {
  const auto words = [](std::vector<std::uint32_t> rows) {
    return [rows](Plan& plan) { set_array(plan, plan.launches[0].words[0], rows); };
  };
  const std::string text = R"(vecc program 1 f32 samples 3
parameter "x" [3, 2x2]
%0 = weight "x" : f32[3, 2x2]
%1 = transform %0 atindex [3, 0, 3] : f32[3, 1]
%2 = output %1 [0:3] : f32[3, 1]
)";
  expect_error(plan_of(text), words({3, 0}), "launch 0: error: too few words 0 [E031]");
}
TEST(BrokenPlan, NoWords) {
  expect_error(
      sums(), [](Plan& plan) { kernel_of(plan, 0).word_slots = 1; },
      "launch 0: error: other words than its kernel [E031]");
}
TEST(BrokenPlan, TilesWithAGap) {
  expect_error(
      sums(),
      [](Plan& plan) {
        plan.launches[0].tiles = {0, 3};
      },
      "launch 0: error: tiles that do not cover its rows once [E031]");
}
TEST(BrokenPlan, TilesThatGoBack) {
  expect_error(
      sums(),
      [](Plan& plan) {
        plan.launches[0].tiles = {0, 3, 2, 4};
      },
      "launch 0: error: tiles that do not cover its rows once [E031]");
}
TEST(BrokenPlan, TypesWithoutAnOrder) {
  expect_error(
      typed(), [](Plan& plan) { plan.launches[0].order = kNone; },
      "launch 0: error: types without an order [E031]");
}
TEST(BrokenPlan, TypesOfRowsWithMembers) {
  expect_error(
      typed(),
      [](Plan& plan) {
        kernel_of(plan, 0).segments = KernelSegments::Fixed;
        kernel_of(plan, 0).members = 1;
        plan.launches[0].members = 1;
      },
      "launch 0: error: types of rows that have members [E031]");
}
TEST(BrokenPlan, AnOrderThatNobodyReads) {
  expect_error(
      sums(), [](Plan& plan) { plan.launches[0].order = 0; },
      "launch 0: error: an order that its kernel does not read [E031]");
}
TEST(BrokenPlan, ATileWithoutAType) {
  expect_error(
      typed(), [](Plan& plan) { plan.launches[0].tile_types.pop_back(); },
      "launch 0: error: tiles without a type [E031]");
}
TEST(BrokenPlan, ARowTwiceInTheOrder) {
  expect_error(
      typed(),
      [](Plan& plan) {
        set_array(plan, plan.launches[0].order, {1, 2, 5, 7, 0, 3, 4, 4});
      },
      "launch 0: error: an order of other rows [E031]");
}
TEST(BrokenPlan, AnOrderOfFewerRows) {
  expect_error(
      typed(),
      [](Plan& plan) {
        set_array(plan, plan.launches[0].order, {1, 2, 5, 7});
      },
      "launch 0: error: an order of other rows [E031]");
}
TEST(BrokenPlan, ATypeWithoutAMatrix) {
  expect_error(
      typed(), [](Plan& plan) { plan.launches[0].tile_types.back() = 2; },
      "launch 0: error: access 0 names row 2 of 2 [E031]");
}
TEST(BrokenPlan, OtherAccessesThanTheKernel) {
  expect_error(
      sums(), [](Plan& plan) { plan.launches[1].accesses.pop_back(); },
      "launch 1: error: binds other accesses than its kernel has [E031]");
}

TEST(BrokenKernel, ReadsWhatComesLater) {
  expect_error(
      sums(), [](Plan& plan) { kernel_of(plan, 0).nodes[1].operands = {1}; },
      "kernel: error: %1 reads %1, which is not there [E031]");
}
TEST(BrokenKernel, ReadsAMemberOutsideOfItsLoop) {
  expect_error(
      sums(), [](Plan& plan) { kernel_of(plan, 1).nodes[2].operands = {0}; },
      "kernel: error: %2 reads %0, which is not there [E031]");
}
TEST(BrokenKernel, ReadsASumInItsOwnLoop) {
  expect_error(
      sums(),
      [](Plan& plan) {
        KernelPhase& members = kernel_of(plan, 1).phases[0];
        members.steps.push_back(kernel_of(plan, 1).phases[1].steps[0]);
        kernel_of(plan, 1).phases[1].steps.erase(kernel_of(plan, 1).phases[1].steps.begin());
      },
      "kernel: error: %2 reads %1, which is not there [E031]");
}
TEST(BrokenKernel, StoresAnotherShape) {
  expect_error(
      sums(),
      [](Plan& plan) {
        kernel_of(plan, 0).accesses[access_of(plan, 0, true)].shape = Shape::column(1);
      },
      "kernel: error: store 0 of another shape [E031]");
}
TEST(BrokenKernel, StoresInAnotherLoop) {
  expect_error(
      sums(),
      [](Plan& plan) {
        kernel_of(plan, 1).accesses[access_of(plan, 1, true)].space = KernelSpace::Member;
      },
      "kernel: error: access 1 in another loop, or the other way round [E031]");
}
TEST(BrokenKernel, MembersWithoutSegments) {
  expect_error(
      sums(), [](Plan& plan) { kernel_of(plan, 1).segments = KernelSegments::None; },
      "kernel: error: members of a kernel that has no segments [E031]");
}
TEST(BrokenKernel, ASumThatSkipsMembers) {
  expect_error(
      sums(), [](Plan& plan) { kernel_of(plan, 1).nodes[1].skips_nan = true; },
      "kernel: error: %1 skips NaN [E031]");
}
TEST(BrokenKernel, ANodeTwice) {
  expect_error(
      sums(),
      [](Plan& plan) {
        auto& steps = kernel_of(plan, 0).phases[0].steps;
        steps.push_back(steps[0]);
      },
      "kernel: error: %0 stands twice [E031]");
}

}  // namespace
}  // namespace vecc::test
