// Layers of encoders against plain loops over edges, one by one.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "src/kg/encoder/encoder_program.h"
#include "tests/kg/random_embeddings.h"
#include "vecc/backend.h"

namespace vecc::test {
namespace {

using kg::EncoderKind;
using kg::EncoderOptions;
using Numbers = std::vector<double>;

constexpr std::uint32_t kMessageNodes = 8;
constexpr std::uint32_t kMessageRelations = 3;

struct PlainEdge {
  std::uint32_t source, type, target;
  auto operator<=>(const PlainEdge&) const = default;
};

// By definition, from tables by name.
class PlainEncoder {
 public:
  PlainEncoder(const std::set<PlainEdge>& edges, EncoderOptions options, std::uint32_t width,
               std::map<std::string, Numbers> tables)
      : options_(std::move(options)),
        widths_(kg::layer_widths(options_, width)),
        tables_(std::move(tables)),
        edges_(edges.begin(), edges.end()) {}

  [[nodiscard]] std::vector<Numbers> run() {
    std::vector<Numbers> x(kMessageNodes);
    for (std::uint32_t i = 0; i < kMessageNodes; ++i) x[i] = row("e", i, widths_[0]);
    for (std::size_t layer = 1; layer < widths_.size(); ++layer) {
      prefix_ = "h" + std::to_string(layer) + ".";
      in_ = widths_[layer - 1];
      out_ = widths_[layer];
      for (Numbers& of_node : x) {
        for (double& number : of_node) number = layer > 1 ? std::max(number, 0.0) : number;
      }
      x = options_.kind == EncoderKind::Rgcn   ? rgcn(x)
          : options_.kind == EncoderKind::Rgat ? rgat(x)
                                               : hgt(x);
    }
    return x;
  }

 private:
  [[nodiscard]] Numbers row(const std::string& table, std::size_t i, std::size_t width) const {
    const Numbers& all = tables_.at(table);
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(i * width);
    return {at, at + static_cast<std::ptrdiff_t>(width)};
  }
  // Matrix i of a table of [rows x cols] times x.
  [[nodiscard]] Numbers product(const std::string& table, std::size_t i, std::size_t rows,
                                const Numbers& x) const {
    const Numbers matrix = row(prefix_ + table, i, rows * x.size());
    Numbers result(rows);
    for (std::size_t a = 0; a < rows; ++a) {
      for (std::size_t b = 0; b < x.size(); ++b) result[a] += matrix[a * x.size() + b] * x[b];
    }
    return result;
  }
  [[nodiscard]] Numbers dense(const std::string& table, std::size_t rows, const Numbers& x) const {
    return sum(product(table, 0, rows, x), row(prefix_ + "b_" + table, 0, rows));
  }
  [[nodiscard]] double number(const std::string& table, std::size_t i) const {
    return tables_.at(prefix_ + table)[i];
  }
  [[nodiscard]] static Numbers sum(Numbers a, const Numbers& b, double factor = 1) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
    return a;
  }
  [[nodiscard]] static double dot(const Numbers& a, const Numbers& b) {
    double result = 0;
    for (std::size_t i = 0; i < a.size(); ++i) result += a[i] * b[i];
    return result;
  }
  [[nodiscard]] Numbers part(const Numbers& a, std::size_t head) const {
    const auto width = static_cast<std::ptrdiff_t>(a.size() / options_.heads);
    const auto at = a.begin() + static_cast<std::ptrdiff_t>(head) * width;
    return {at, at + width};
  }

  [[nodiscard]] Numbers relation_product(std::uint32_t type, const Numbers& x) const {
    if (options_.bases == 0) return product("W", type, out_, x);
    Numbers result(out_);
    for (std::uint32_t b = 0; b < options_.bases; ++b) {
      result = sum(result, product("V", b, out_, x), number("a", type * options_.bases + b));
    }
    return result;
  }

  [[nodiscard]] std::vector<Numbers> rgcn(const std::vector<Numbers>& x) const {
    std::vector<Numbers> result;
    for (std::uint32_t i = 0; i < kMessageNodes; ++i) {
      Numbers h = options_.self_loops ? product("W_0", 0, out_, x[i]) : Numbers(out_);
      for (const PlainEdge& e : edges_) {
        if (e.target != i) continue;
        double count = 0;
        for (const PlainEdge& other : edges_) {
          count += other.target == i && other.type == e.type ? 1 : 0;
        }
        h = sum(h, relation_product(e.type, x[e.source]), 1 / count);
      }
      result.push_back(h);
    }
    return result;
  }

  // By node: the heads' messages of its edges, by the softmax of their scores.
  template <class Score, class Message>
  [[nodiscard]] Numbers attended(std::uint32_t node, const Score& score,
                                 const Message& message) const {
    Numbers result;
    for (std::uint32_t head = 0; head < options_.heads; ++head) {
      Numbers h(out_ / options_.heads);
      double weights = 0;
      for (const PlainEdge& e : edges_) {
        if (e.target == node) weights += std::exp(score(e, head));
      }
      for (const PlainEdge& e : edges_) {
        if (e.target == node) h = sum(h, message(e, head), std::exp(score(e, head)) / weights);
      }
      result.insert(result.end(), h.begin(), h.end());
    }
    return result;
  }

  [[nodiscard]] std::vector<Numbers> rgat(const std::vector<Numbers>& x) const {
    const auto z = [&](std::uint32_t type, std::uint32_t node) {
      return product("W", type, out_, x[node]);
    };
    const auto score = [&](const PlainEdge& e, std::uint32_t head) {
      const std::size_t i = e.type * options_.heads + head;
      const double s = dot(row(prefix_ + "a_target", i, out_), z(e.type, e.target)) +
                       dot(row(prefix_ + "a_source", i, out_), z(e.type, e.source));
      return s > 0 ? s : 0.2 * s;
    };
    const auto message = [&](const PlainEdge& e, std::uint32_t head) {
      return part(z(e.type, e.source), head);
    };
    std::vector<Numbers> result;
    for (std::uint32_t i = 0; i < kMessageNodes; ++i) {
      result.push_back(attended(i, score, message));
      if (options_.self_loops) result[i] = sum(result[i], product("W_0", 0, out_, x[i]));
    }
    return result;
  }

  [[nodiscard]] std::vector<Numbers> hgt(const std::vector<Numbers>& x) const {
    const std::size_t width = out_ / options_.heads;
    const auto score = [&](const PlainEdge& e, std::uint32_t head) {
      const std::size_t i = e.type * options_.heads + head;
      const Numbers k = product("A", i, width, part(dense("K", out_, x[e.source]), head));
      const double s = dot(part(dense("Q", out_, x[e.target]), head), k);
      return number("p", i) * s / std::sqrt(static_cast<double>(width));
    };
    const auto message = [&](const PlainEdge& e, std::uint32_t head) {
      return product("M", e.type * options_.heads + head, width,
                     part(dense("V", out_, x[e.source]), head));
    };
    std::vector<Numbers> result;
    for (std::uint32_t i = 0; i < kMessageNodes; ++i) {
      Numbers m = attended(i, score, message);
      for (double& a : m) a = 0.5 * a * (1 + std::erf(a / std::sqrt(2.0)));
      Numbers h = dense("O", out_, m);
      if (options_.self_loops && in_ == out_) {
        const double gate = 1 / (1 + std::exp(-number("skip", 0)));
        for (std::size_t a = 0; a < h.size(); ++a) h[a] = gate * h[a] + (1 - gate) * x[i][a];
      }
      result.push_back(h);
    }
    return result;
  }

  EncoderOptions options_;
  std::vector<std::uint32_t> widths_;
  std::map<std::string, Numbers> tables_;
  std::vector<PlainEdge> edges_;
  std::string prefix_;
  std::uint32_t in_ = 0;
  std::uint32_t out_ = 0;
};

void expect_definition(const EncoderOptions& options, std::uint32_t width) {
  // Node 7 has no edge; the last triple is there twice. Masked: all edges into node 2 are left out,
  // and some others.
  std::vector<kg::Triple> triples = random_triples(kMessageNodes - 1, kMessageRelations, 20, 5);
  triples.push_back(triples.front());
  const kg::MessageGraph graph = kg::make_message_graph(
      triples, kMessageNodes, kMessageRelations, options.inverse, kg::edge_order_of(options.kind));
  std::set<PlainEdge> edges;
  for (const kg::Triple& t : triples) {
    edges.insert({t.head, t.relation, t.tail});
    if (options.inverse.empty()) edges.insert({t.tail, kMessageRelations + t.relation, t.head});
  }
  ASSERT_EQ(edges.size(), graph.edge_count());
  std::vector<std::uint8_t> keeps(graph.edge_count(), 1);
  for (std::uint32_t e = 0; options.has_mask() && e < keeps.size(); ++e) {
    if (graph.target[e] != 2 && graph.source[e] % 3 != 0) continue;
    keeps[e] = 0;
    edges.erase({graph.source[e], graph.type[e], graph.target[e]});
  }
  kg::EncoderProgram made = kg::make_encoder_program(graph, options, width, DType::F64);
  std::mt19937 random(3);
  std::map<std::string, Numbers> tables;
  ParameterIndex p = 0;
  if (options.has_mask()) {
    made.program.set_parameter_values(
        p++, SharedNumbers::of(kg::edge_values(graph, options.kind, keeps)));
  }
  for (const kg::EncoderTable& table : made.tables) {
    Numbers values(table.rows * table.shape.size());
    for (double& value : values) value = static_cast<double>(random() % 2001) / 1000 - 1;
    tables[table.name] = values;
    ASSERT_EQ(made.program.parameters()[p].name, table.name);
    made.program.set_parameter_values(p++, SharedNumbers::of(values));
  }
  const auto executable = find_backend("interpreter")->compile(made.program, {});
  ASSERT_TRUE(executable) << executable.error().text();
  ASSERT_TRUE((*executable)->run());
  const auto found = *(*executable)->outputs();
  const std::vector<Numbers> expected = PlainEncoder(edges, options, width, tables).run();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].value.size(), width);
    for (std::size_t k = 0; k < width; ++k) {
      EXPECT_NEAR(found[i].value[k], expected[i][k], 1e-11 * (1 + std::abs(expected[i][k])));
    }
  }
}

EncoderOptions layers_of(EncoderKind kind, std::vector<std::uint32_t> widths) {
  EncoderOptions options;
  options.kind = kind;
  options.layers = static_cast<std::uint32_t>(widths.size());
  options.widths = std::move(widths);
  return options;
}

constexpr EncoderKind kEncoderKinds[] = {EncoderKind::Rgcn, EncoderKind::Rgat, EncoderKind::Hgt};

TEST(EncoderLayers, AreThoseOfTheirDefinition) {
  for (const EncoderKind kind : kEncoderKinds) {
    for (const std::vector<std::uint32_t>& widths :
         {std::vector<std::uint32_t>{6, 4, 2}, {2}, {4, 4}}) {
      for (const bool is_masked : {false, true}) {
        SCOPED_TRACE(std::string(kg::text_of(kind)) + " " + std::to_string(widths.size()));
        EncoderOptions options = layers_of(kind, widths);
        options.leaves_scored_out = is_masked;
        expect_definition(options, 4);
        if (kind == EncoderKind::Rgcn) {
          options.bases = 3;
        } else {
          options.heads = 2;
        }
        options.self_loops = false;
        options.inverse = {1, 0, 2};
        expect_definition(options, 4);
      }
    }
  }
}

TEST(EncoderLayers, OneNumberIsAScalar) {
  for (const EncoderKind kind : kEncoderKinds) {
    SCOPED_TRACE(kg::text_of(kind));
    expect_definition(layers_of(kind, {1, 1}), 1);
    EncoderOptions options = layers_of(kind, {3, 2});
    if (kind == EncoderKind::Rgcn) {
      options.bases = 1;
      expect_definition(options, 1);
      continue;
    }
    options.heads = 2;
    expect_definition(options, 2);
  }
}

TEST(EncoderLayers, OptionsThatFitNoLayerAreRefused) {
  const auto expect_refused = [](const EncoderOptions& options, std::uint64_t width,
                                 const std::string& words) {
    const Result<void> checked = kg::check_encoder_options(options, {9, 3, width});
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().text().find(words), std::string::npos) << checked.error().text();
  };
  EncoderOptions options = layers_of(EncoderKind::Hgt, {6, 5});
  EXPECT_TRUE(kg::check_encoder_options(options, {9, 3, 4}));
  options.heads = 2;
  expect_refused(options, 4, "does not divide the width 5");
  options.kind = EncoderKind::Rgcn;
  expect_refused(options, 4, "has no attention heads");
  options = layers_of(EncoderKind::Rgat, {6, 4});
  options.bases = 3;
  expect_refused(options, 4, "they are of rgcn");
  options = layers_of(EncoderKind::Rgcn, {6, 4});
  options.layers = 3;
  expect_refused(options, 4, "of 3 layers: found 2 numbers");
  options.layers = 0;
  expect_refused(options, 4, "at least one layer");
  expect_refused(layers_of(EncoderKind::Rgcn, {1u << 20}), 512, "more than 2^28 numbers");
  options = layers_of(EncoderKind::Rgcn, {1u << 13});
  const auto wide = kg::check_encoder_options(options, {9, 1u << 20, 1u << 13});
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().list().front().code, ErrorCode::LimitShape);
  options = layers_of(EncoderKind::Rgat, {1 << 10});
  options.heads = 1 << 10;
  const auto many = kg::check_encoder_options(options, {9, 1u << 22, 1u << 10});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().list().front().code, ErrorCode::LimitRows);
}

}  // namespace
}  // namespace vecc::test
