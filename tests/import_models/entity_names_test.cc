#include "tools/import/models/scores/entity_names.h"

#include <gmock/gmock.h>

#include <random>

namespace vecc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tools::edit_distance;
using tools::find_entities;
using tools::TypedGraph;

// By its definition, without a table.
std::size_t slow_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::size_t replaced =
      slow_distance(a.substr(1), b.substr(1)) + (a.front() == b.front() ? 0 : 1);
  return std::min({replaced, slow_distance(a.substr(1), b) + 1, slow_distance(a, b.substr(1)) + 1});
}

TEST(EntityNames, EditDistance) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 9), 3u);
  EXPECT_EQ(edit_distance("", "abc", 9), 3u);
  EXPECT_EQ(edit_distance("abc", "abc", 9), 0u);
  std::mt19937 random(1);
  const auto draw = [&] {
    std::string text(random() % 6, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int i = 0; i < 300; ++i) {
    const std::string a = draw();
    const std::string b = draw();
    for (const std::size_t limit : {1u, 2u, 3u, 9u}) {
      EXPECT_EQ(edit_distance(a, b, limit), std::min<std::size_t>(slow_distance(a, b), limit))
          << a << " " << b << " " << limit;
    }
  }
}

TypedGraph named(const std::vector<std::string>& names) {
  TypedGraph data;
  data.name = "cities";
  data.node_count = static_cast<std::uint32_t>(names.size());
  for (const std::string& name : names) data.node_names.push_back(name);
  return data;
}

TEST(EntityNames, InTheOrderAskedFor) {
  const TypedGraph data = named({"a", "b", "c"});
  EXPECT_THAT(*find_entities(data, {"c", "a", "c"}, "--source"), ElementsAre(2u, 0u));
}

TEST(EntityNames, NumbersWhereThereAreNoNames) {
  TypedGraph data = named({});
  data.node_count = 12;
  EXPECT_THAT(*find_entities(data, {"11", "0"}, "--source"), ElementsAre(11u, 0u));
  const auto unknown = find_entities(data, {"12"}, "--source");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text(), HasSubstr("cities has no entity \"12\" ["));
}

TEST(EntityNames, ClosestThree) {
  const TypedGraph data = named({"berlin", "bern", "bergen", "Berlin", "bonn", "berli\x1b"});
  const auto unknown = find_entities(data, {"berlim"}, "--source");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(
      unknown.error().text(),
      HasSubstr("no entity \"berlim\"; did you mean \"berlin\", \"berli\\x1b\" or \"Berlin\"?"));
}

TEST(EntityNames, LongNames) {
  const TypedGraph data = named({std::string(100000, 'a'), "aa"});
  const auto unknown = find_entities(data, {std::string(99999, 'a'), "a"}, "--source");
  ASSERT_FALSE(unknown);
  EXPECT_LT(unknown.error().text().size(), 500u);
}

}  // namespace
}  // namespace vecc::test
