#include "choose_samples.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

namespace vecc::tools {
namespace {

constexpr std::array<std::pair<std::string_view, SplitChoice>, 4> kSplits{{
    {"train", SplitChoice::Train},
    {"validation", SplitChoice::Validation},
    {"test", SplitChoice::Test},
    {"all", SplitChoice::All},
}};

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

std::optional<SplitChoice> parse_split(std::string_view text) {
  for (const auto& [name, choice] : kSplits) {
    if (name == text) return choice;
  }
  return std::nullopt;
}

std::string_view text_of(SplitChoice choice) {
  return std::ranges::find(kSplits, choice, [](const auto& entry) { return entry.second; })->first;
}

void add_split_option(CLI::App& app, std::optional<SplitChoice>& choice, const char* default_text) {
  app.add_option_function<std::string>(
         "--split", [&choice](const std::string& text) { choice = parse_split(text); },
         "Samples: those that the graph marks so, or all")
      ->check(CLI::IsMember({"train", "validation", "test", "all"}).description(""))
      ->type_name("train|validation|test|all")
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
