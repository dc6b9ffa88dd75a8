// Repeated edges against a set.
#include "tools/import/load/repeated_edges.h"

#include <gmock/gmock.h>

#include <random>
#include <set>
#include <tuple>

namespace vecc::tools {
namespace {

TEST(RepeatedEdges, none_means_no_marks) {
  const std::vector<std::uint32_t> source = {0, 0, 1}, target = {0, 1, 0};
  EXPECT_TRUE(find_repeated_edges(2, {source, target, {}}).empty());
  EXPECT_TRUE(find_repeated_edges(0, {}).empty());
}

TEST(RepeatedEdges, relations_tell_edges_apart) {
  const std::vector<std::uint32_t> source = {0, 0, 0}, target = {1, 1, 1}, relation = {4, 5, 4};
  EXPECT_THAT(find_repeated_edges(2, {source, target, relation}),
              testing::ElementsAre(false, false, true));
  EXPECT_THAT(find_repeated_edges(2, {source, target, {}}),
              testing::ElementsAre(false, true, true));
}

TEST(RepeatedEdges, every_edge_but_the_first_of_its_kind) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const std::uint32_t nodes = 1 + random() % 20;
    std::vector<std::uint32_t> source, target, relation;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    std::vector<bool> expected;
    for (int i = 0; i < 200; ++i) {
      source.push_back(random() % nodes);
      target.push_back(random() % nodes);
      relation.push_back(random() % 3);
      expected.push_back(!seen.insert({source.back(), target.back(), relation.back()}).second);
    }
    const std::vector<bool> marks = find_repeated_edges(nodes, {source, target, relation});
    EXPECT_EQ(marks.empty() ? std::vector<bool>(expected.size()) : marks, expected);
    EXPECT_EQ(remove_marked(source, marks), expected.size() - seen.size());
    EXPECT_EQ(source.size(), seen.size());
  }
}

}  // namespace
}  // namespace vecc::tools
