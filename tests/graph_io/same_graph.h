// Whether two graphs are equal column by column.
#pragma once

#include <gtest/gtest.h>

#include "vecc/neuron_graph.h"

namespace vecc::test {

inline void expect_same_strings(const StringColumn& a, const StringColumn& b, const char* what) {
  EXPECT_EQ(a.bytes, b.bytes) << what;
  EXPECT_EQ(a.begin, b.begin) << what;
}

inline void expect_same_groups(const NeuronGraph& a, const NeuronGraph& b) {
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (std::size_t i = 0; i < a.groups.size(); ++i) {
    EXPECT_EQ(a.groups[i].file_id, b.groups[i].file_id) << "group " << i;
    EXPECT_EQ(a.groups[i].neuron_class, b.groups[i].neuron_class) << "group " << i;
    EXPECT_EQ(a.groups[i].head_predicate, b.groups[i].head_predicate) << "group " << i;
    EXPECT_EQ(a.groups[i].rule_text, b.groups[i].rule_text) << "group " << i;
    EXPECT_EQ(a.groups[i].ranges, b.groups[i].ranges) << "group " << i;
    EXPECT_EQ(a.groups[i].neuron_count, b.groups[i].neuron_count) << "group " << i;
  }
}

inline void expect_same_ranges(const NeuronGraph& a, const NeuronGraph& b) {
  ASSERT_EQ(a.ranges.size(), b.ranges.size());
  for (std::size_t i = 0; i < a.ranges.size(); ++i) {
    const NeuronRange& x = a.ranges[i];
    const NeuronRange& y = b.ranges[i];
    EXPECT_EQ(x.group, y.group) << "range " << i;
    EXPECT_EQ(x.fact, y.fact) << "range " << i;
    if (x.fact == FactKind::NotAFact && y.fact == FactKind::NotAFact) {
      EXPECT_EQ(a.functions.at(x.function), b.functions.at(y.function)) << "range " << i;
    }
    EXPECT_EQ(x.first, y.first) << "range " << i;
    EXPECT_EQ(x.count, y.count) << "range " << i;
    EXPECT_EQ(x.file_first_id, y.file_first_id) << "range " << i;
    EXPECT_EQ(x.has_shape, y.has_shape) << "range " << i;
    EXPECT_EQ(x.shape, y.shape) << "range " << i;
    EXPECT_EQ(x.weight_begin, y.weight_begin) << "range " << i;
    EXPECT_EQ(x.offset_begin, y.offset_begin) << "range " << i;
    EXPECT_EQ(x.word_begin, y.word_begin) << "range " << i;
    EXPECT_EQ(x.value_begin, y.value_begin) << "range " << i;
    EXPECT_EQ(x.name_begin, y.name_begin) << "range " << i;
  }
}

inline void expect_same_weights(const NeuronGraph& a, const NeuronGraph& b) {
  EXPECT_EQ(a.table_of_weight, b.table_of_weight);
  ASSERT_EQ(a.weight_tables.size(), b.weight_tables.size());
  for (std::size_t i = 0; i < a.weight_tables.size(); ++i) {
    const WeightTable& x = a.weight_tables[i];
    const WeightTable& y = b.weight_tables[i];
    EXPECT_EQ(x.name, y.name) << "table " << i;
    EXPECT_EQ(x.shape, y.shape) << "table " << i;
    EXPECT_EQ(x.first, y.first) << "table " << i;
    EXPECT_EQ(x.count, y.count) << "table " << i;
    EXPECT_EQ(x.file_first_id, y.file_first_id) << "table " << i;
    EXPECT_EQ(x.learnable, y.learnable) << "table " << i;
    EXPECT_EQ(x.has_values, y.has_values) << "table " << i;
    EXPECT_EQ(x.values, y.values) << "table " << i;
    expect_same_strings(x.row_names, y.row_names, "row names");
  }
}

inline void expect_same_samples(const NeuronGraph& a, const NeuronGraph& b) {
  expect_same_strings(a.sample_ids, b.sample_ids, "sample ids");
  EXPECT_EQ(a.target_values, b.target_values);
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    const Sample& x = a.samples[i];
    const Sample& y = b.samples[i];
    EXPECT_EQ(x.output, y.output) << "sample " << i;
    EXPECT_EQ(x.group, y.group) << "sample " << i;
    EXPECT_EQ(x.weight, y.weight) << "sample " << i;
    EXPECT_EQ(x.split, y.split) << "sample " << i;
    EXPECT_EQ(x.role, y.role) << "sample " << i;
    EXPECT_EQ(x.has_target, y.has_target) << "sample " << i;
    EXPECT_EQ(x.target_shape, y.target_shape) << "sample " << i;
    if (x.has_target) {
      EXPECT_EQ(x.target_begin, y.target_begin) << "sample " << i;
    }
  }
}

inline void expect_same_vocabularies(const NeuronGraph& a, const NeuronGraph& b) {
  ASSERT_EQ(a.vocabularies.size(), b.vocabularies.size());
  for (std::size_t i = 0; i < a.vocabularies.size(); ++i) {
    EXPECT_EQ(a.vocabularies[i].name, b.vocabularies[i].name);
    expect_same_strings(a.vocabularies[i].names, b.vocabularies[i].names, "vocabulary");
    EXPECT_EQ(a.vocabularies[i].uses, b.vocabularies[i].uses) << a.vocabularies[i].name;
  }
}

inline void expect_same_graph(const NeuronGraph& a, const NeuronGraph& b) {
  expect_same_groups(a, b);
  expect_same_ranges(a, b);
  expect_same_weights(a, b);
  expect_same_samples(a, b);
  expect_same_vocabularies(a, b);
  EXPECT_EQ(a.input_begin, b.input_begin);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(NumberColumn(a.values).take(), NumberColumn(b.values).take());
  EXPECT_EQ(a.producer, b.producer);
  expect_same_strings(a.names, b.names, "names");
}

}  // namespace vecc::test
