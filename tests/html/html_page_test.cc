// The page of --emit=html: what it says, that names stay text, and that it needs nothing else.
#include "tools/html/html_page.h"

#include <gtest/gtest.h>

#include <string>

#include "html_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using tools::html_page;
using tools::HtmlInput;

Program parse(const std::string& text) {
  Result<Program> program = parse_program(text, "test");
  EXPECT_TRUE(program) << program.error().text();
  return *program;
}

// Six rows of which two are different: W x of rows that repeat.
Program small_program(const std::string& note = "layer/1: rule") {
  return parse(
      "vecc program 1 f32 samples 6\n"
      "parameter \"w\" [1, 3x2]\n"
      "%0 = fact {1, 2, 3, 4} : f32[2, 2x1]\n"
      "%1 = weight \"w\" : f32[1, 3x2]\n"
      "%2 = gather %1 [repeat 1 x 6] : f32[6, 3x2]\n"
      "%3 = gather %0 [0, 1, 1, 0, 1, 0] : f32[6, 2x1]\n"
      "%4 = linear %2, %3 : f32[6, 3x1]  # " +
      note +
      "\n"
      "%5 = transform %4 tanh : f32[6, 3x1]  # " +
      note +
      "\n"
      "%6 = output %5 [0:6] : f32[6, 3x1]\n");
}

struct Optimized {
  Program before;
  OptimizeReport report;
  Program after;
};

Optimized optimize_small() {
  Optimized result{small_program(), {}, Program()};
  Result<Program> after = optimize(result.before, {}, &result.report);
  EXPECT_TRUE(after) << after.error().text();
  result.after = *after;
  return result;
}

std::string page_of(const Program& program, const std::string& title = "graph.pb") {
  return html_page({title, program, program, OptimizeReport(), {}});
}

TEST(HtmlPage, IsWellFormed) {
  const Optimized o = optimize_small();
  EXPECT_EQ(find_html_fault(html_page({"graph.pb", o.before, o.after, o.report, {}})), "");
}

TEST(HtmlPage, IsSelfContained) {
  const Optimized o = optimize_small();
  const std::string page = html_page({"graph.pb", o.before, o.after, o.report, {}});
  for (const char* outside : {"<script", "http:", "https:", "url(", "@import", "<link", "<img",
                              "src=", "javascript:", "onload", "onclick"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST(HtmlPage, NamesEachPassThatChangedSomething) {
  const Optimized o = optimize_small();
  const std::string page = html_page({"graph.pb", o.before, o.after, o.report, {}});
  std::size_t changed = 0;
  for (const PassRun& run : o.report.runs) {
    changed += run.changed ? 1 : 0;
    const bool named = page.find("'>" + run.pass + "</td>") != std::string::npos;
    EXPECT_TRUE(named || !run.changed) << run.pass;
  }
  EXPECT_GT(changed, 0U);
  EXPECT_EQ(count_text(page, "class='track'"), changed + 1);  // and the line before the first
}

TEST(HtmlPage, HasALineForEachOpWithItsRowsShapeAndBytes) {
  const Program program = small_program();
  const std::string page = page_of(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    EXPECT_EQ(count_text(page, "<tr><td>%" + std::to_string(id) + "</td>"), 1U);
  }
  EXPECT_NE(page.find("linear %2, %3</td><td class='l group'>layer/1: rule</td><td>6</td>"
                      "<td>3x1</td><td>72 B</td>"),
            std::string::npos);
}

TEST(HtmlPage, HasTheSizesBeforeAndAfter) {
  const Optimized o = optimize_small();
  const std::string page = html_page({"graph.pb", o.before, o.after, o.report, {}});
  const auto cells = [](std::uint64_t a, std::uint64_t b) {
    return "<td>" + std::to_string(a) + "</td><td>" + std::to_string(b) + "</td>";
  };
  EXPECT_NE(
      page.find("<td class='l'>ops</td>" + cells(o.before.ops().size(), o.after.ops().size())),
      std::string::npos);
  EXPECT_NE(page.find("<td class='l'>rows computed</td>" +
                      cells(statistics(o.before).rows, statistics(o.after).rows)),
            std::string::npos);
}

TEST(HtmlPage, DrawsBothProgramsOnlyIfPassesRan) {
  const Optimized o = optimize_small();
  EXPECT_EQ(count_text(html_page({"g", o.before, o.after, o.report, {}}), "<svg"), 2U);
  const std::string page = page_of(o.before);
  EXPECT_EQ(count_text(page, "<svg"), 1U);
  EXPECT_NE(page.find("No pass ran."), std::string::npos);
}

TEST(HtmlPage, SharesAreOfTheBytesWithoutAMeasurement) {
  const std::string page = page_of(small_program());
  EXPECT_NE(page.find("share of the bytes"), std::string::npos);
  EXPECT_EQ(page.find("share of the time"), std::string::npos);
  // 16 + 24 + 144 + 48 + 72 + 72 + 72 bytes; %2 is 144 of 448.
  EXPECT_NE(page.find("</span> 32.1 %</td></tr>"), std::string::npos);
}

TEST(HtmlPage, SharesAreOfTheTimeIfItWasMeasured) {
  const Program program = small_program();
  const std::string page =
      html_page({"graph.pb", program, program, OptimizeReport(), {0, 0, 0, 0, 0.003, 0.001, 0}});
  EXPECT_NE(page.find("share of the time"), std::string::npos);
  EXPECT_EQ(page.find("share of the bytes"), std::string::npos);
  EXPECT_NE(page.find("</span> 75.0 %</td></tr>"), std::string::npos);
  EXPECT_NE(page.find("</span> 25.0 %</td></tr>"), std::string::npos);
}

TEST(HtmlPicture, IsAnElementThatLeavesItsSurroundingsAlone) {
  const std::string picture = tools::html_picture("<graph>", small_program("<b>: rule"));
  EXPECT_EQ(find_html_fault(picture), "");
  EXPECT_NE(picture.find("&lt;graph&gt;"), std::string::npos);
  for (const char* global : {"body{", ":root", "h1{", "table{", "<html"}) {
    EXPECT_EQ(picture.find(global), std::string::npos) << global;
  }
}

TEST(HtmlPage, NamesAreText) {
  const std::string evil = "<script>alert('x')</script>&\"><svg onload=alert(1)>";
  Program program(DType::F32);
  program.set_sample_count(1);
  const auto parameter = program.add_parameter({evil, 1, Shape::scalar(), nullptr});
  ASSERT_TRUE(parameter);
  const ValueId weight = program.weight(*parameter, evil);
  const ValueId sum = program.segment(weight, Segments::fixed(1), Combination::Sum, evil);
  program.output(sum, Index::slice(0, 1), evil);
  const std::string page = page_of(program, evil);
  EXPECT_EQ(find_html_fault(page), "");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("<svg onload"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
}

TEST(HtmlPage, ControlAndDirectionCharactersOfNamesAreWrittenOut) {
  Program program(DType::F32);
  program.set_sample_count(1);
  const ValueId fact = program.fact({1}, 1, Shape::scalar(), "a\x01\xE2\x80\xAE\xFFz");
  program.output(fact, Index::slice(0, 1));
  const std::string page = page_of(program, "a\x01\xE2\x80\xAE\xFFz");
  for (const char* raw : {"\x01", "\xE2\x80\xAE", "\xFF"}) {
    EXPECT_EQ(page.find(raw), std::string::npos);
  }
}

TEST(HtmlPage, OfAnEmptyProgramIsWellFormed) {
  EXPECT_EQ(find_html_fault(page_of(Program())), "");
}

// The checker itself: a test that cannot fail would say nothing.
TEST(HtmlCheck, FindsFaults) {
  EXPECT_EQ(find_html_fault("<!DOCTYPE html>\n<p class='a'>1 &lt; 2<br></p>"), "");
  EXPECT_NE(find_html_fault("<p><b></p></b>"), "");
  EXPECT_NE(find_html_fault("<p>"), "");
  EXPECT_NE(find_html_fault("</p>"), "");
  EXPECT_NE(find_html_fault("<p>a & b</p>"), "");
  EXPECT_NE(find_html_fault("<p>a > b</p>"), "");
  EXPECT_NE(find_html_fault("<p a='<'></p>"), "");
  EXPECT_NE(find_html_fault("<p a=b></p>"), "");
}

}  // namespace
}  // namespace vecc::test
