// Files by hand, field by field, for what GraphWriter never writes.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>
#include <vector>

#include "vecc/graph.pb.h"
#include "vecc/graph_io.h"

namespace vecc::test {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

/// A length-delimited field.
inline std::string field(std::uint32_t number, const std::string& content) {
  return varint(number << 3 | 2) + varint(content.size()) + content;
}

inline const std::string kMagicField("\x0dVECC", 5);
// How errors name the groups of a WireFile.
inline const std::string kFacts = "bad.pb: group 1 \"bond\"";
inline const std::string kLayer = "bad.pb: group 3 \"layer_1\"";

/// A small valid graph as messages: change them, then take the bytes.
///   neurons 0, 1: facts 2x1; 2, 3: sum tanh over both with weights 0, 1 (2x2); a sample of 3.
struct WireFile {
  wire::Header header;
  std::vector<wire::WeightTable> tables;
  std::vector<wire::Group> groups;
  std::vector<wire::Samples> samples;
  std::vector<wire::Vocabulary> vocabularies;
  wire::End end;
  bool right_counts = true;  ///< bytes() fills the End record's counts in

  WireFile() {
    header.set_schema_version(1);
    header.set_producer("test");
    wire::WeightTable& table = tables.emplace_back();
    table.set_name("w");
    table.set_count(2);
    set_shape(table.mutable_shape(), 2, 2);
    for (int i = 0; i < 8; ++i) table.add_values_f32(static_cast<float>(i));
    add_facts();
    add_layer();
    wire::Samples& sample = samples.emplace_back();
    sample.add_outputs(3);
    sample.add_ids("s");
    set_shape(sample.add_target_shapes(), 2, 1);
    sample.add_targets(0);
    sample.add_targets(1);
  }

  wire::WeightTable& table() { return tables[0]; }
  wire::Group& facts() { return groups[0]; }
  wire::Group& layer() { return groups[1]; }
  wire::Samples& sample() { return samples[0]; }

  static void set_shape(wire::Shape* shape, std::uint32_t rows, std::uint32_t cols) {
    shape->set_rows(rows);
    shape->set_cols(cols);
  }

  /// Everything before the End record.
  [[nodiscard]] std::string body() const {
    std::string bytes = kMagicField + field(2, header.SerializeAsString());
    for (const auto& t : tables) bytes += field(3, t.SerializeAsString());
    for (const auto& g : groups) bytes += field(4, g.SerializeAsString());
    for (const auto& s : samples) bytes += field(5, s.SerializeAsString());
    for (const auto& v : vocabularies) bytes += field(6, v.SerializeAsString());
    return bytes;
  }
  [[nodiscard]] std::string bytes() const { return finish(body()); }

  /// `body` with an End record: its own CRC-32, the counts of the messages.
  [[nodiscard]] std::string finish(const std::string& body) const {
    wire::End record = end;
    if (right_counts) {
      for (const auto& t : tables) record.set_weights(record.weights() + t.count());
      for (const auto& s : samples) {
        record.set_samples(record.samples() + s.outputs_size() + s.outputs64_size());
      }
      for (const auto& g : groups) {
        record.set_neurons(record.neurons() + g.count());
        record.set_edges(record.edges() + g.inputs_size() + g.inputs64_size());
      }
    }
    record.set_crc32(static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size())));
    return body + field(15, record.SerializeAsString());
  }

 private:
  void add_facts() {
    wire::Group& group = groups.emplace_back();
    group.set_id(1);
    group.set_head_predicate("bond");
    group.set_fact(true);
    set_shape(group.mutable_shape(), 2, 1);
    group.set_count(2);
    for (int i = 0; i < 4; ++i) group.add_values_f32(static_cast<float>(i) / 2);
  }
  void add_layer() {
    wire::Group& group = groups.emplace_back();
    group.set_id(3);
    group.set_neuron_class(wire::WEIGHTED_RULE);
    group.set_head_predicate("layer_1");
    group.mutable_function()->set_combination("sum");
    group.mutable_function()->set_transformation("tanh");
    group.set_first_id(2);
    group.set_count(2);
    group.add_fan_in(2);
    for (const std::uint32_t id : {0u, 1u, 1u, 0u}) {
      group.add_inputs(id);
      group.add_weights(id);
    }
  }
};

/// Reads `bytes` as bad.pb, expecting exactly these messages and this exit code.
inline void expect_errors(std::string_view bytes, std::string_view text,
                          ExitCode exit_code = ExitCode::BadInput,
                          const ImportOptions& options = {}) {
  const Result<NeuronGraph> graph = read_graph_bytes(bytes, "bad.pb", options);
  ASSERT_FALSE(graph.has_value());
  EXPECT_EQ(graph.error().text(), text);
  EXPECT_EQ(graph.error().exit_code(), exit_code);
}

/// The graph of a file that must be good.
inline NeuronGraph expect_graph(std::string_view bytes, const ImportOptions& options = {}) {
  Result<NeuronGraph> graph = read_graph_bytes(bytes, "good.pb", options);
  if (!graph) {
    ADD_FAILURE() << graph.error().text();
    return {};
  }
  return std::move(*graph);
}

}  // namespace vecc::test
