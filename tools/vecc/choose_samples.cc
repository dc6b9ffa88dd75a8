#include "choose_samples.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "src/support/enum_names.h"

namespace vecc::tools {
namespace {

bool is_in(Split split, SplitChoice choice) {
  switch (split) {
    case Split::Unspecified:
    case Split::Train: return choice == SplitChoice::Train || choice == SplitChoice::All;
    case Split::Validation: return choice == SplitChoice::Validation || choice == SplitChoice::All;
    case Split::Test: return choice == SplitChoice::Test || choice == SplitChoice::All;
  }
  return false;
}

}  // namespace

std::string_view text_of(SplitChoice choice) {
  switch (choice) {
    case SplitChoice::Train: return "train";
    case SplitChoice::Validation: return "validation";
    case SplitChoice::Test: return "test";
    case SplitChoice::All: return "all";
  }
  return "";
}

std::optional<SplitChoice> parse_split(std::string_view text) {
  return parse_name<SplitChoice>(text);
}

void add_split_option(CLI::App& app, std::optional<SplitChoice>& choice, const char* default_text) {
  app.add_option_function<std::string>(
         "--split", [&choice](const std::string& text) { choice = parse_split(text); },
         "Samples: those that the graph marks so, or all")
      ->check(CLI::IsMember(names_of<SplitChoice>()).description(""))
      ->type_name(names_text<SplitChoice>("|"))
      ->default_str(default_text);
}

SplitChoice tested_split(const NeuronGraph& graph) {
  const bool marked = std::ranges::any_of(
      graph.samples, [](const Sample& sample) { return sample.split == Split::Test; });
  return marked ? SplitChoice::Test : SplitChoice::All;
}

Result<std::vector<std::uint32_t>> choose_samples(const NeuronGraph& graph, SplitChoice choice) {
  std::vector<std::uint32_t> samples;
  for (std::uint32_t s = 0; s < graph.samples.size(); ++s) {
    if (is_in(graph.samples[s].split, choice)) samples.push_back(s);
  }
  if (!samples.empty()) return samples;
  const std::string name(text_of(choice));
  return Errors(ErrorCode::BadSample, "--split=" + name,
                graph.samples.empty()
                    ? "the graph has no samples"
                    : "the graph marks no sample so; --split=all takes every one");
}

}  // namespace vecc::tools
