// The curves of a training on the page: which points are kept, and where they are drawn.
#include "tools/html/training_curves.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "html_check.h"
#include "tools/html/chart_axis.h"
#include "tools/html/html_page.h"

namespace vecc::test {
namespace {

using testing::ElementsAre;
using tools::ChartAxis;
using tools::CurvePoint;
using tools::draw_charts;
using tools::TrainingCurves;

std::vector<double> numbers_of(const std::string& svg, const char* attribute) {
  std::vector<double> numbers;
  for (const std::string& value : attribute_values(svg, attribute)) {
    numbers.push_back(std::strtod(value.c_str(), nullptr));
  }
  return numbers;
}

// Validation is lowest at epoch 3.
TrainingCurves five_epochs() {
  TrainingCurves curves;
  const std::vector<double> train{0.8, 0.6, 0.5, 0.4, 0.2}, validation{0.9, 0.7, 0.3, 0.5, 0.6};
  for (std::uint64_t e = 0; e < 5; ++e) {
    curves.add("loss", "train", e + 1, train[e]);
    curves.add("loss", "validation", e + 1, validation[e]);
  }
  curves.best_epoch = 3;
  return curves;
}

TEST(TrainingCurves, AMetricIsAChartAndASideACurve) {
  TrainingCurves curves = five_epochs();
  curves.add("accuracy", "validation", 1, 0.5);
  ASSERT_EQ(curves.charts().size(), 2u);
  EXPECT_EQ(curves.charts()[0].metric, "loss");
  ASSERT_EQ(curves.charts()[0].curves.size(), 2u);
  EXPECT_EQ(curves.charts()[0].curves[1].side, "validation");
  EXPECT_EQ(curves.charts()[0].curves[1].points[2].value, 0.3);
  EXPECT_EQ(curves.charts()[1].curves.size(), 1u);
}

TEST(TrainingCurves, NumbersThatAreNotFiniteAreLeftOut) {
  TrainingCurves curves;
  curves.add("loss", "train", 1, std::nan(""));
  curves.add("loss", "train", 2, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(curves.charts().empty());
}

TEST(TrainingCurves, OfAMillionEpochsKeepTheExtremesAndTheEnds) {
  constexpr std::uint64_t kEpochs = 1'000'000;
  TrainingCurves curves;
  for (std::uint64_t e = 1; e <= kEpochs; ++e) {
    double value = 1 + static_cast<double>(e % 7);
    if (e == 123'456) value = -5;
    if (e == 765'432) value = 50;
    curves.add("loss", "train", e, value);
  }
  const std::vector<CurvePoint>& points = curves.charts()[0].curves[0].points;
  EXPECT_LE(points.size(), 512u);
  EXPECT_GE(points.size(), 200u);
  EXPECT_EQ(points.front().epoch, 1u);
  EXPECT_EQ(points.back().epoch, kEpochs);
  const auto has = [&](std::uint64_t epoch, double value) {
    return std::any_of(points.begin(), points.end(),
                       [&](const CurvePoint& p) { return p.epoch == epoch && p.value == value; });
  };
  EXPECT_TRUE(has(123'456, -5));
  EXPECT_TRUE(has(765'432, 50));
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_LT(points[i - 1].epoch, points[i].epoch);
  }
}

TEST(DrawCharts, PointsAreWhereTheAxesSay) {
  const std::string svg = draw_charts(five_epochs());
  const std::vector<double> x = numbers_of(svg, "cx"), y = numbers_of(svg, "cy");
  ASSERT_EQ(x.size(), 10u);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_NEAR(x[i] - x[i - 1], x[1] - x[0], 0.11);  // epochs are as far apart
    EXPECT_GT(y[i], y[i - 1]);                        // a falling loss goes down
    EXPECT_EQ(x[5 + i], x[i]);
  }
  // 0.8, 0.6 and 0.4: their distances are as their differences.
  EXPECT_NEAR(y[1] - y[0], y[3] - y[1], 0.11);
}

TEST(DrawCharts, EveryPointHasItsNumbersWhereTheMouseIs) {
  const std::string svg = draw_charts(five_epochs());
  EXPECT_NE(svg.find("<title>epoch 3: train loss 0.5</title>"), std::string::npos);
  EXPECT_NE(svg.find("<title>epoch 3: validation loss 0.3</title>"), std::string::npos);
  EXPECT_EQ(count_text(svg, "<title>epoch "), 10u);
}

TEST(DrawCharts, TheBestEpochIsMarkedOnTheValidationCurve) {
  TrainingCurves curves = five_epochs();
  const std::string svg = draw_charts(curves);
  EXPECT_NE(svg.find("best: epoch 3<"), std::string::npos);
  EXPECT_EQ(count_text(svg, "class='ring'"), 1u);
  // The ring begins at the top of a circle around the point.
  const std::vector<double> x = numbers_of(svg, "cx"), y = numbers_of(svg, "cy");
  const std::size_t ring = svg.find("class='ring' d='M");
  double at_x = 0, at_y = 0;
  ASSERT_EQ(std::sscanf(svg.c_str() + ring, "class='ring' d='M%lf %lf", &at_x, &at_y), 2);
  EXPECT_NEAR(at_x, x[7], 0.11);
  EXPECT_NEAR(at_y, y[7] - 5, 0.11);
  curves.best_epoch = 0;
  EXPECT_EQ(draw_charts(curves).find("best"), std::string::npos);
  curves.best_epoch = 9;  // before a resume, say: not in the picture
  EXPECT_EQ(draw_charts(curves).find("best"), std::string::npos);
}

TEST(DrawCharts, AxesAndCurvesHaveTheirNames) {
  const std::string svg = draw_charts(five_epochs());
  for (const char* text :
       {">epoch</text>", ">loss</text>", ">train</text>", ">validation</text>"}) {
    EXPECT_EQ(count_text(svg, text), 1u) << text;
  }
}

TEST(DrawCharts, AreWellFormedAndInsideTheirPictures) {
  for (const std::vector<double>& values : {std::vector<double>{1},
                                            {0},
                                            {2, 2, 2},
                                            {1e-300, 1e300},
                                            {1e-9, 1, 1e9},
                                            {-3, 5, 1e-3},
                                            {5e-324, 1},
                                            {0.1, 0.1 + 1e-16},
                                            {-1e6, -1e6 + 1}}) {
    TrainingCurves curves;
    std::uint64_t epoch = 0;
    for (const double value : values) curves.add("loss", "train", ++epoch, value);
    const std::string svg = draw_charts(curves);
    EXPECT_EQ(find_html_fault(svg), "");
    for (const double x : numbers_of(svg, "cx")) EXPECT_TRUE(x >= 60 && x <= 560) << x;
    for (const double y : numbers_of(svg, "cy")) EXPECT_TRUE(y >= 30 && y <= 280) << y;
    EXPECT_EQ(numbers_of(svg, "cx").size(), values.size());
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(ChartAxis, TicksAreRoundNumbers) {
  EXPECT_THAT(tools::value_axis(0.12, 0.38).ticks,
              ElementsAre(0.1, testing::DoubleEq(0.15), 0.2, 0.25, testing::DoubleEq(0.3),
                          testing::DoubleEq(0.35), 0.4));
  EXPECT_THAT(tools::epoch_axis(1, 4).ticks, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(tools::epoch_axis(501, 1000).ticks, ElementsAre(600, 700, 800, 900, 1000));
  EXPECT_EQ(tools::text_of_tick(3 * 0.1), "0.3");
  EXPECT_EQ(tools::text_of_tick(-0.0), "0");
}

TEST(ChartAxis, IsLogarithmicWhereNumbersAreFarApart) {
  const ChartAxis axis = tools::value_axis(0.002, 3);
  EXPECT_TRUE(axis.logarithmic);
  EXPECT_THAT(axis.ticks, ElementsAre(0.001, 0.01, 0.1, 1, 10));
  EXPECT_NEAR(axis.place_of(0.1), 0.5, 1e-12);
  EXPECT_FALSE(tools::value_axis(0, 3).logarithmic);
  EXPECT_FALSE(tools::value_axis(0.1, 3).logarithmic);
}

TEST(HtmlPage, HasATrainingOnlyIfThereWasOne) {
  const Program program;
  TrainingCurves curves = five_epochs();
  curves.words = "5 epochs, <b>";
  const std::string page =
      tools::html_page({"graph.pb", program, program, OptimizeReport(), {}, &curves});
  EXPECT_EQ(find_html_fault(page), "");
  EXPECT_EQ(count_text(page, "class='chart'"), 1u);
  EXPECT_NE(page.find("5 epochs, &lt;b&gt;"), std::string::npos);
  EXPECT_NE(page.find("<a href='#training'>"), std::string::npos);
  const std::string other = tools::html_page({"graph.pb", program, program, OptimizeReport(), {}});
  EXPECT_EQ(other.find("id='training'"), std::string::npos);
}

}  // namespace
}  // namespace vecc::test
