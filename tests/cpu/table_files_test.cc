// Tables in files: the same bits as in memory, and what is refused.
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <random>

#include "backends/cpu/cpu_backend.h"
#include "src/plan/plan_tables.h"
#include "tests/graph_io/temporary_folder.h"

namespace vecc::test {
namespace {

std::vector<double> drawn(std::uint64_t count) {
  std::minstd_rand random(static_cast<std::uint32_t>(count));
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(random);
  return values;
}

// A fact, a table of many rows and a matrix that all rows share.
Program program_of_tables(DType dtype) {
  Program program(dtype);
  program.set_sample_count(4);
  const auto weight = [&](const char* name, std::uint32_t rows, Shape shape) {
    auto values = SharedNumbers::of(drawn(rows * shape.size()));
    return program.weight(*program.add_parameter({name, rows, shape, std::move(values)}));
  };
  const ValueId rows =
      program.gather(weight("rows", 1000, Shape::column(8)), Index::list({7, 7, 900, 31}));
  const ValueId matrix = weight("matrix", 1, Shape(8, 8));
  const ValueId fact = program.fact(drawn(32), 4, Shape::column(8), Note("features/0"));
  const ValueId product =
      program.linear(matrix, fact, {false, false, Lift{Lift::Kind::Repeat, 4}, {}});
  const ValueId operands[] = {rows, product};
  program.output(program.map(*parse_expr("tanh(sum($0, $1))", "test"), operands),
                 Index::slice(0, 4));
  return program;
}

struct Found {
  std::vector<std::vector<std::uint64_t>> bits;  // outputs, gradients
  std::uint64_t bytes = 0;
};

Found run_with(const Program& program, const PlaceOptions& places) {
  ExecutionOptions options;
  options.gradients = true;
  options.places = places;
  const auto executable = cpu_backend().compile(program, options);
  EXPECT_TRUE(executable) << executable.error().text();
  if (!executable) return {};
  EXPECT_TRUE((*executable)->run());
  EXPECT_TRUE((*executable)->differentiate_sum());
  Found found;
  found.bytes = (*executable)->bytes();
  const auto add = [&](const std::vector<double>& values) {
    auto& bits = found.bits.emplace_back();
    for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  };
  const auto outputs = (*executable)->outputs();
  for (const Executable::Output& output : *outputs) add(output.value);
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    add(*(*executable)->gradient(p));
    add(*(*executable)->parameter(p));
  }
  return found;
}

std::size_t files_mapped_from(const std::string& folder) {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    count += line.find(folder) != std::string::npos ? 1 : 0;
  }
  return count;
}

class TableFilesTest : public testing::Test {
 protected:
  PlaceOptions in_files(std::vector<std::string> tables) const {
    PlaceOptions places;
    places.folder = folder_.path(".");
    for (std::string& table : tables) places.wishes.push_back({std::move(table), TablePlace::File});
    return places;
  }

  TemporaryFolder folder_;
};

TEST_F(TableFilesTest, HaveTheSameBitsInEverySetOfPlaces) {
  const std::string names[] = {"rows", "matrix", "features/0"};
  for (const DType dtype : {DType::F32, DType::F64}) {
    const Program program = program_of_tables(dtype);
    const Found in_memory = run_with(program, {});
    for (unsigned set = 1; set < 8; ++set) {
      std::vector<std::string> tables;
      for (unsigned i = 0; i < 3; ++i) {
        if ((set >> i & 1) != 0) tables.push_back(names[i]);
      }
      const Found found = run_with(program, in_files(tables));
      EXPECT_EQ(found.bits, in_memory.bits) << "set " << set;
      EXPECT_EQ(found.bytes, in_memory.bytes);
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path(".")));
}

TEST_F(TableFilesTest, AreOneMappingThatGoesWithTheLastThatHasIt) {
  const Program program = program_of_tables(DType::F32);
  const std::string folder = std::filesystem::canonical(folder_.path("."));
  ExecutionOptions options;
  options.places = in_files({"rows", "features/0"});
  auto executable = cpu_backend().compile(program, options);
  ASSERT_TRUE(executable) << executable.error().text();
  EXPECT_EQ(files_mapped_from(folder), 1u);
  ExecutionOptions sharing;  // the parameter is there; the fact is put beside the other
  sharing.places.folder = options.places.folder;
  sharing.storage = (*executable)->storage();
  std::vector<PlacedTable> tables;
  sharing.check_plan = [&](const PlannedProgram& planned) -> Result<void> {
    tables = *planned.tables;
    return {};
  };
  auto second = cpu_backend().compile(program, sharing);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(files_mapped_from(folder), 2u);
  for (const PlacedTable& table : tables) {
    EXPECT_EQ(table.is_there, table.name != "features/0") << table.name;
    EXPECT_TRUE(table.is_there || table.place == TablePlace::File) << table.name;
  }
  *executable = nullptr;
  sharing.storage = nullptr;
  EXPECT_TRUE((*second)->run());  // with the first one's rows
  *second = nullptr;
  EXPECT_EQ(files_mapped_from(folder), 0u);
}

TEST_F(TableFilesTest, WithoutRoomAreRefusedBeforeAnythingElseIsTaken) {
  const Program program = program_of_tables(DType::F32);
  ExecutionOptions options;
  options.places = in_files({"rows"});
  options.places.folder = folder_.path("none");
  const auto refused = cpu_backend().compile(program, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::CannotWrite);
  EXPECT_EQ(files_mapped_from(folder_.path("")), 0u);
}

}  // namespace
}  // namespace vecc::test
