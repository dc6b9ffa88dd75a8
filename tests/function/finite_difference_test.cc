// Every function against central differences of its evaluation, over random shapes.
#include <map>

#include "tests/function/derivative_case.h"
#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

constexpr int kDraws = 400;  // a function
constexpr int kWanted = 40;  // of them must be smooth where they were drawn
constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-7;

using Number = std::function<double(const std::vector<double>&)>;

bool is_near(const Gradient& a, const Gradient& b, double tolerance) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double size = std::max({1.0, std::abs(a[i]), std::abs(b[i])});
    if (!(std::abs(a[i] - b[i]) <= tolerance * size)) return false;
  }
  return a.size() == b.size();
}

// Central differences; none next to a kink, a step, a pole or the border of the domain, where two
// steps disagree.
std::optional<Gradient> smooth_differences(const Number& number, const std::vector<double>& x) {
  const Gradient fine = central_differences(number, x, kStep);
  const Gradient coarse = central_differences(number, x, 8 * kStep);
  // Both errors fall with the square of the step: what is left in `fine` is 1/63 of their
  // difference.
  if (!is_near(fine, coarse, 30 * kTolerance)) return std::nullopt;
  return fine;
}

Value draw_value(Shape shape, RandomSource& random) {
  Value value{shape, std::vector<double>(shape.size())};
  for (double& v : value.values) v = random.real(-2, 2);
  return value;
}

Shape draw_shape(RandomSource& random) {
  const std::uint32_t side = random.between(1, 4);
  switch (random.below(4)) {
    case 0: return Shape::scalar();
    case 1: return Shape::column(side);
    case 2: return Shape::row(side);
    default: return Shape(side, random.between(1, 4));
  }
}

// Often words that fit: small, and a slice's ends open.
std::vector<std::uint32_t> draw_words(Transformation id, RandomSource& random) {
  std::vector<std::uint32_t> words;
  while (words.size() < word_count(id)) {
    const bool is_end = words.size() % 2 == 1;
    words.push_back(is_end && random.chance(0.6) ? kToEnd : random.below(3));
  }
  return words;
}

// Whether T was smooth there; differentiate() must then agree.
bool check_transformation(const TransformationSpec& spec, const std::vector<std::uint32_t>& words,
                          const Value& x, RandomSource& random) {
  const auto shape = transformed_shape(spec, words, x.shape, "test");
  if (!shape) return false;
  const Gradient g = draw_value(*shape, random).values;
  const auto differences = smooth_differences(
      [&](const std::vector<double>& entries) {
        return dot(g, apply(spec, words, {x.shape, entries}).value().values);
      },
      x.values);
  if (!differences) return false;
  EXPECT_TRUE(is_near(gradient_of(spec, words, x, g), *differences, kTolerance))
      << text_of(spec) << " of " << x.shape.text() << ": "
      << testing::PrintToString(gradient_of(spec, words, x, g)) << " against "
      << testing::PrintToString(*differences);
  return true;
}

TEST(FiniteDifferences, OfEveryTransformation) {
  for (const TransformationInfo& about : transformations()) {
    RandomSource random(static_cast<std::uint64_t>(about.id));
    int smooth = 0;
    for (int i = 0; i < kDraws; ++i) {
      TransformationSpec spec;
      spec.id = about.id;
      spec.slope = random.real(-1, 1);
      spec.target = draw_shape(random);
      const Value x = draw_value(draw_shape(random), random);
      smooth += check_transformation(spec, draw_words(about.id, random), x, random) ? 1 : 0;
    }
    EXPECT_GE(smooth, about.parameters == FunctionParameters::None ? 2 * kWanted : kWanted)
        << about.text;
  }
}

struct DrawnList {
  Combination combination = Combination::Sum;
  int axis = -1;
  Expr expr;
  std::vector<Value> elements;

  [[nodiscard]] Result<Value> value(const std::vector<double>& entries) const {
    std::vector<Value> changed = elements;
    auto from = entries.begin();
    for (Value& element : changed) {
      for (double& v : element.values) v = *from++;
    }
    return apply(combination, changed, axis, &expr);
  }
};

// Every function inside a tree as well.
std::string draw_expression(RandomSource& random) {
  static const std::vector<std::string> texts = {
      "elproduct(sum($0, $1), tanh($2))",
      "sum(product($0, $1), $2)",
      "concat(softmax($0), sum($1, $1), max($0, $2))",
      "norm(concat($0, $1, 0.5))",
      "concat[axis=0](transp($0), relu($1))",
      "softmax(reshape[1]($0), 2, atindex[0]($1))",
      "sparsemax(crosssum($0, $1))",
      "cossim($0, avg($1, square($0)))",
      "min(leakyrelu[0.3]($0), elproduct($0, $1))",
      "slice[0:1, 0:1](product($0, transp($0)))",
      "sigmoid(product(transp($0), $0))",
      "count($0, $1)",
      "$1",
  };
  return random.pick(texts);
}

DrawnList draw_list(Combination combination, RandomSource& random) {
  DrawnList list;
  list.combination = combination;
  if (combination == Combination::Concat) list.axis = -static_cast<int>(random.below(2));
  if (combination == Combination::FunctionGraph) {
    list.expr = parse_expr(draw_expression(random), "test").value();
  }
  // Elements often have one shape, its transpose or none, else few lists would fit.
  const Shape common = draw_shape(random);
  const std::uint32_t count = combination == Combination::CosSim ? 2 : random.between(1, 4);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::vector<Shape> shapes = {common, common, common.transposed(), Shape::scalar(),
                                       draw_shape(random)};
    list.elements.push_back(draw_value(random.pick(shapes), random));
  }
  return list;
}

bool check_list(const DrawnList& list, RandomSource& random) {
  std::vector<double> entries;
  for (const Value& element : list.elements) {
    entries.insert(entries.end(), element.values.begin(), element.values.end());
  }
  const auto y = list.value(entries);
  if (!y) return false;
  const Gradient g = draw_value(y->shape, random).values;
  const auto differences = smooth_differences(
      [&](const std::vector<double>& changed) { return dot(g, list.value(changed)->values); },
      entries);
  if (!differences) return false;
  Gradient found;
  for (const Gradient& part :
       gradients_of(list.combination, list.elements, g, list.axis, &list.expr)) {
    found.insert(found.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(is_near(found, *differences, kTolerance))
      << info(list.combination).text << " " << list.expr.text() << ": "
      << testing::PrintToString(found) << " against " << testing::PrintToString(*differences);
  return true;
}

TEST(FiniteDifferences, OfEveryCombination) {
  for (const CombinationInfo& about : combinations()) {
    RandomSource random(static_cast<std::uint64_t>(about.id));
    int smooth = 0;
    for (int i = 0; i < 2 * kDraws; ++i) {
      smooth += check_list(draw_list(about.id, random), random) ? 1 : 0;
    }
    EXPECT_GE(smooth, kWanted) << about.text;
  }
}

// Both factors, for every pair of shapes that fits.
TEST(FiniteDifferences, OfTimes) {
  const std::vector<Shape> shapes = {Shape(),     Shape::column(3), Shape::row(3),    Shape(1, 1),
                                     Shape(2, 3), Shape(3, 2),      Shape::column(2), Shape(3, 3)};
  RandomSource random(1);
  int pairs = 0;
  for (const Shape left_shape : shapes) {
    for (const Shape right_shape : shapes) {
      const auto shape = times_shape(left_shape, right_shape);
      if (!shape) continue;
      ++pairs;
      DrawnList list;
      list.combination = Combination::Product;
      list.elements = {draw_value(left_shape, random), draw_value(right_shape, random)};
      EXPECT_TRUE(check_list(list, random)) << left_shape.text() << " " << right_shape.text();
    }
  }
  EXPECT_EQ(pairs, 15 + 17);  // with a scalar, and matrix products
}

}  // namespace
}  // namespace vecc::test
