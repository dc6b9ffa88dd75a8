// What is known of a Program before it is lowered, and which kernel an op joins.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "src/plan/analysis/segment_pieces.h"
#include "src/plan/group/choose_group.h"
#include "src/plan/launch_layout.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

Program program_of(const std::string& text) {
  auto program = parse_program("vecc program 1 f32 samples 0\n" + text, "test");
  EXPECT_TRUE(program) << program.error().text();
  return *std::move(program);
}

TEST(ProgramAnalysis, AParameterIsOneMemoryHoweverOftenItIsRead) {
  const Program program = program_of(R"(parameter "w" [2, 8x1]
parameter "v" [2, 8x1]
%0 = weight "w" : f32[2, 8x1]
%1 = weight "w" : f32[2, 8x1]
%2 = weight "v" : f32[2, 8x1]
%3 = update %1, %2 : f32[2, 8x1]
)");
  const ProgramAnalysis analysis = analyze(program, {});
  EXPECT_EQ(analysis.memory_of(program, 1), 0u);
  EXPECT_EQ(analysis.memory_of(program, 2), 2u);
  EXPECT_TRUE(analysis.is_updated[0] && analysis.is_updated[1]);
  EXPECT_FALSE(analysis.is_updated[2] || analysis.is_updated[3]);
}

TEST(ProgramAnalysis, AProductIsInlinedIfOneSumReadsItAndNothingElse) {
  const Program program = program_of(R"(parameter "w" [4, 1]
parameter "x" [4, 8x1]
%0 = weight "w" : f32[4, 1]
%1 = weight "x" : f32[4, 8x1]
%2 = linear %1, %0 : f32[4, 8x1]
%3 = segment %2 [0, 1, 4] sum : f32[2, 8x1]
%4 = linear %1, %0 : f32[4, 8x1]
%5 = segment %4 [0, 1, 4] sum : f32[2, 8x1]
%6 = update %1, %4 : f32[4, 8x1]
)");
  const ProgramAnalysis analysis = analyze(program, {});
  EXPECT_TRUE(analysis.inlined[2]);
  EXPECT_FALSE(analysis.inlined[4]) << "the update stores it";
  PlanOptions kept;
  kept.kept.push_back(2);
  EXPECT_FALSE(analyze(program, kept).inlined[2]);
  PlanOptions unfused;
  unfused.fuse = false;
  EXPECT_FALSE(analyze(program, unfused).inlined[2]);
}

TEST(PieceLength, IsTheTargetsOnAGpu) {
  constexpr std::uint32_t kMembers = 100'000;
  const Segments segments = Segments::fixed(kMembers);
  const auto pieces = [&](const PlanOptions& options) {
    const auto cut = cut_long_segments(options, 0, segments, 1, Shape::scalar());
    return cut ? cut->pieces : 1;
  };
  const PlanOptions cpu;
  EXPECT_EQ(pieces(cpu), (kMembers + cpu.target.pieces.longest - 1) / cpu.target.pieces.longest);
  Target small = default_gpu();
  small.multiprocessors = 2;
  EXPECT_GT(pieces(PlanOptions{.target = default_gpu()}), pieces(PlanOptions{.target = small}));
}

TEST(PieceLength, IsThatOfTheMembersOfAUsualBatch) {
  constexpr std::uint32_t kMembers = 1'000'000;
  constexpr std::uint32_t kOfBatch = 10'000;
  const auto pieces = [](const PlanOptions& options, ValueId op, std::uint32_t members) {
    const auto cut = cut_long_segments(options, op, Segments::fixed(members), 1, Shape::column(8));
    return cut ? cut->pieces : 1;
  };
  const PlanOptions all{.target = default_gpu()};
  PlanOptions usual = all;
  usual.usual_members = {{3, kMembers, kOfBatch}, {4, kMembers, 10}};
  EXPECT_EQ(pieces(usual, 3, kMembers), pieces(all, 3, kOfBatch));
  EXPECT_GT(pieces(all, 3, kMembers), pieces(all, 3, kOfBatch));
  EXPECT_EQ(pieces(usual, 4, kMembers), 1u);
  EXPECT_EQ(pieces(usual, 5, kMembers), pieces(all, 5, kMembers));
  EXPECT_EQ(pieces(usual, 3, kMembers / 2), pieces(all, 3, kMembers / 2)) << "other segments";
}

TEST(PieceLength, IsShorterOfSumsOfLongRowsOnAProcessor) {
  const PlanOptions cpu;
  const std::uint32_t longest = cpu.target.pieces.longest;
  const auto members = [&](Shape shape, MemberKind kind, std::uint32_t of_segment) {
    const auto cut = cut_long_segments(cpu, 0, Segments::fixed(of_segment), 1, shape, kind);
    return cut ? of_segment / cut->pieces : of_segment;
  };
  EXPECT_EQ(members(Shape::column(8), MemberKind::Sums, longest * 4), longest);
  EXPECT_EQ(members(Shape::column(64), MemberKind::Sums, longest * 4), longest / 4);
  EXPECT_EQ(members(Shape(64, 64), MemberKind::OuterProducts, longest * 4), longest / 4);
  EXPECT_EQ(members(Shape(512, 512), MemberKind::OuterProducts, longest * 4), longest)
      << "sums are large";
  EXPECT_EQ(members(Shape::column(64), MemberKind::Sums, longest * 128), longest / 2)
      << "a thread adds up 256 pieces";
  EXPECT_EQ(members(Shape::column(64), MemberKind::Sums, longest * 1024), longest);
  for (const MemberKind kind : {MemberKind::Rows, MemberKind::Softmax}) {
    EXPECT_EQ(members(Shape::column(64), kind, longest), longest) << "products, largest ones";
  }
}

TEST(PieceLength, IsNotThatOfOneLongSegmentAmongShortOnes) {
  constexpr std::uint32_t kLong = 600;
  const Shape shape = Shape::column(64);
  std::vector<std::uint32_t> offsets{0, kLong};
  EXPECT_TRUE(cut_long_segments({}, 0, Segments::ragged(offsets), 1, shape, MemberKind::Sums));
  for (std::uint32_t s = 0; s < 8; ++s) offsets.push_back(offsets.back() + 8);
  EXPECT_FALSE(cut_long_segments({}, 0, Segments::ragged(offsets), 9, shape, MemberKind::Sums));
}

TEST(PieceLength, IsShorterForSumsAndMeansAlone) {
  const auto launches = [](const std::string& combination) {
    const Program program = program_of(
        R"(parameter "x" [1200, 16x1]
%0 = weight "x" : f32[1200, 16x1]
%1 = segment %0 [fixed 600 dim 2] )" +
        combination + (combination == "softmax" ? " : f32[1200, 16x1]\n" : " : f32[2, 16x1]\n"));
    PlanOptions kept;
    kept.kept.push_back(1);
    return make_plan(program, kept).launches.size();
  };
  for (const char* const sum : {"sum", "avg"}) EXPECT_GT(launches(sum), 1u) << sum;
  for (const char* const other : {"softmax", "elmax", "elmin", "elproduct"}) {
    EXPECT_EQ(launches(other), 1u) << other;
  }
}

// %1, a function of the rows of %0, in a kernel of its own; then an op that reads it.
class ChooseGroup : public testing::Test {
 protected:
  ChooseGroup()
      : program_(program_of(R"(parameter "x" [6, 8x1]
%0 = weight "x" : f32[6, 8x1]
%1 = transform %0 relu : f32[6, 8x1]
%2 = transform %1 relu : f32[6, 8x1]
)")),
        analysis_(analyze(program_, {})),
        grouping_(program_, analysis_) {
    group_ = grouping_.groups.add(DType::F32, program_.op(1).rows, 0, 1);
    KernelGroup& group = grouping_.groups[group_];
    const NodeIndex node = group.load({{false, KernelSpace::Row, RowMap::Direct, kShape}, 0});
    grouping_.values.set_node(1, group_, node, KernelSpace::Row);
    group.add_value(1, node);
  }

  [[nodiscard]] GroupChoice choose(const RowRead& read, std::uint32_t stage = 0) const {
    const std::uint32_t rows = grouping_.values.row_count(read);
    return GroupChooser(options_, grouping_)
        .choose({rows, std::span(&read, 1), EntryLoop::Any, stage});
  }

  static constexpr Shape kShape = Shape::column(8);
  const RowRead direct_{{1, std::nullopt}, kShape};
  const RowRead gathered_{{1, Index::list({5, 4, 3, 2, 1, 0})}, kShape};
  PlanOptions options_;
  Program program_;
  ProgramAnalysis analysis_;
  Grouping grouping_;
  GroupIndex group_ = 0;
};

TEST_F(ChooseGroup, AnOpJoinsTheKernelThatMakesItsOperandRowByRow) {
  EXPECT_EQ(choose(direct_).group, group_);
  EXPECT_EQ(choose(direct_, /*stage=*/1).group, kNone);
  options_.fuse = false;
  EXPECT_EQ(choose(direct_).group, kNone);
  options_.fuse = true;
  grouping_.groups[group_].closed = true;
  EXPECT_EQ(choose(direct_).group, kNone);
}

TEST_F(ChooseGroup, RowsInAnotherOrderWaitForTheKernelThatMakesThem) {
  grouping_.groups[group_].level = 3;
  const GroupChoice choice = choose(gathered_);
  EXPECT_EQ(choice.group, kNone);
  EXPECT_EQ(choice.level, 4u);
}

TEST_F(ChooseGroup, ALevelRisesUntilAValueIsReadOutside) {
  const GroupIndex other = grouping_.groups.add(DType::F32, 6, 0, 5);
  const ValueId late = grouping_.values.add_temporary(6, kShape);
  grouping_.values.set_node(late, other, 0, KernelSpace::Row);
  const RowRead reads[] = {direct_, {{late, Index::list({1, 0, 2, 3, 4, 5})}, kShape}};
  const GroupRequest request{6, reads};
  const GroupChooser chooser(options_, grouping_);
  const GroupChoice rises = chooser.choose(request);
  EXPECT_EQ(rises.group, group_);
  EXPECT_EQ(rises.level, 6u);
  EXPECT_EQ(grouping_.groups[group_].level, 1u) << "a choice changes nothing";
  grouping_.freeze(1);
  EXPECT_EQ(chooser.choose(request).group, kNone);
}

TEST_F(ChooseGroup, RowsBecomeMembersOfTheSegmentThatReadsThem) {
  const Segments segments = Segments::ragged({0, 2, 6});
  const GroupRequest request{6, std::span(&direct_, 1), EntryLoop::WholeRows};
  const GroupChooser chooser(options_, grouping_);
  const GroupChoice choice = chooser.choose_of_members(request, direct_, segments);
  EXPECT_EQ(choice.group, group_);
  EXPECT_TRUE(choice.takes_segments);
  EXPECT_FALSE(grouping_.groups[group_].has_segments()) << "a choice changes nothing";
  grouping_.groups[group_].types = 0;
  EXPECT_EQ(chooser.choose_of_members(request, direct_, segments).group, kNone);
}

// Rows that a sum of them loads, and a function of its members.
class ChooseBesideMembers : public ChooseGroup {
 protected:
  ChooseBesideMembers()
      : rows_{{grouping_.values.add_temporary(6, kWide), std::nullopt}, kWide},
        sum_(grouping_.groups.add(DType::F32, 2, 0, 1)) {
    group().set_segments(segments_, 6);
    const NodeIndex member =
        group().load({{false, KernelSpace::Member, RowMap::Direct, kWide}, rows_.value});
    KernelNode sum = node_of(KernelNode::Kind::Reduce, kWide, {member});
    sum.combination = Combination::Sum;
    group().add(std::move(sum), KernelSpace::Member);
    grouping_.values.set_reader(rows_.value, sum_);
  }

  [[nodiscard]] KernelGroup& group() { return grouping_.groups[sum_]; }
  [[nodiscard]] GroupIndex choose_within(const Segments& segments) const {
    GroupRequest request{6, std::span(&rows_, 1)};
    request.within = &segments;
    return GroupChooser(options_, grouping_).choose(request).group;
  }

  static constexpr Shape kWide = Shape::column(32);
  const Segments segments_ = Segments::ragged({0, 2, 6});
  const RowRead rows_;
  const GroupIndex sum_;
};

TEST_F(ChooseBesideMembers, AFunctionOfMembersJoinsASumOfTheSameMembers) {
  EXPECT_EQ(choose_within(segments_), sum_);
  EXPECT_EQ(choose_within(Segments::ragged({0, 3, 6})), kNone);
  options_.target = default_gpu();
  EXPECT_EQ(choose_within(segments_), kNone);
}

TEST_F(ChooseBesideMembers, AKernelThatHasGoneOnWithRowsTakesNoMembersIn) {
  group().begin_phase(KernelSpace::Row);
  group().constant(1, KernelSpace::Row);
  EXPECT_EQ(choose_within(segments_), kNone);
}

TEST_F(ChooseBesideMembers, AKernelWithoutRoomForTheirSumTakesNoMembersIn) {
  for (int k = 0; k < 50; ++k) group().constant(k, KernelSpace::Member);
  EXPECT_EQ(choose_within(segments_), kNone);
}

TEST_F(ChooseBesideMembers, AKernelWithASlowFunctionOfShortRowsTakesNoMembersIn) {
  const NodeIndex one = group().constant(1, KernelSpace::Member);
  KernelNode slow = node_of(KernelNode::Kind::Transform, Shape::column(4), {one});
  slow.transformation = {.id = Transformation::Tanh, .target = {}};
  group().add(std::move(slow), KernelSpace::Member);
  EXPECT_EQ(choose_within(segments_), kNone);
}

}  // namespace
}  // namespace vecc::test
