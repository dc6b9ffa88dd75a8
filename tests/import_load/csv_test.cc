// RFC 4180.
#include <gmock/gmock.h>

#include "tools/import/load/csv_reader.h"

namespace vecc::tools {
namespace {

using testing::ElementsAre;
using Record = std::vector<std::string>;

struct CsvCase {
  std::vector<Record> records;
  std::vector<std::uint64_t> lines;
  std::string errors;
};

CsvCase read(std::string_view bytes) {
  const Text text{"t.csv", bytes};
  LoadErrors errors;
  CsvReader reader(text, errors);
  CsvCase result;
  while (reader.next()) {
    result.records.emplace_back(reader.fields().begin(), reader.fields().end());
    result.lines.push_back(reader.line());
  }
  if (!errors.empty()) result.errors = errors.errors().text();
  return result;
}

TEST(Csv, plain_fields) {
  const CsvCase csv = read("a,b,c\r\n1, 2 ,\n,,\nx\n");
  EXPECT_THAT(csv.records, ElementsAre(Record{"a", "b", "c"}, Record{"1", " 2 ", ""},
                                       Record{"", "", ""}, Record{"x"}));
  EXPECT_THAT(csv.lines, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(csv.errors, "");
}

TEST(Csv, quoted_fields) {
  const CsvCase csv = read("\"a,b\",\"\",\"say \"\"hi\"\"\"\r\n\"two\r\nlines\",\"\"\"\"\n1,2");
  EXPECT_THAT(csv.records, ElementsAre(Record{"a,b", "", "say \"hi\""},
                                       Record{"two\r\nlines", "\""}, Record{"1", "2"}));
  EXPECT_THAT(csv.lines, ElementsAre(1, 2, 4));
  EXPECT_EQ(csv.errors, "");
}

TEST(Csv, ends) {
  EXPECT_THAT(read("").records, ElementsAre());
  EXPECT_THAT(read("\n\r\n").records, ElementsAre());
  EXPECT_THAT(read("a").records, ElementsAre(Record{"a"}));
  EXPECT_THAT(read("a,").records, ElementsAre(Record{"a", ""}));
  EXPECT_THAT(read("a,\r\n\n\n").records, ElementsAre(Record{"a", ""}));
  EXPECT_THAT(read("\xEF\xBB\xBF"
                   "a,b\n")
                  .records,
              ElementsAre(Record{"a", "b"}));
  EXPECT_THAT(read("\"a\"\r").records, ElementsAre(Record{"a"}));
  EXPECT_THAT(read("a\n\nb").records, ElementsAre(Record{"a"}, Record{""}, Record{"b"}));
}

TEST(BadCsv, bad_quote_inside_a_field) {
  const CsvCase csv = read("a,b\"c\",d\n1,2\n");
  EXPECT_THAT(csv.records, ElementsAre(Record{"1", "2"}));
  EXPECT_EQ(
      csv.errors,
      "t.csv: line 1, column 4: error: found a quote inside a field, expected the whole field "
      "in quotes [E024]");
}

TEST(BadCsv, bad_text_behind_a_quoted_field) {
  const CsvCase csv = read("\"a\nb\"c,d\n\"1\"\r2\n3,4\n");
  EXPECT_THAT(csv.records, ElementsAre(Record{"3", "4"}));
  EXPECT_EQ(
      csv.errors,
      "t.csv: line 2, column 3: error: found \"c\" behind a field in quotes, expected a comma "
      "or the line's end [E024]\n"
      "t.csv: line 3, column 4: error: found \"\\r\" behind a field in quotes, expected a comma "
      "or the line's end [E024]");
}

TEST(BadCsv, bad_open_quote) {
  const CsvCase csv = read("a,b\n1,\"2\n3,4\n5,\"\"6\n");
  EXPECT_THAT(csv.records, ElementsAre(Record{"a", "b"}));
  EXPECT_EQ(csv.errors,
            "t.csv: line 2, column 3: error: found no quote that ends this field [E024]");
}

}  // namespace
}  // namespace vecc::tools
