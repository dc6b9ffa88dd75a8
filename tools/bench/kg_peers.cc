#include "kg_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "peer_script.h"

namespace vecc::tools {
namespace {

std::vector<std::string> arguments_of(const std::string& peer, const KgPeerCase& of) {
  std::vector<std::string> words{"--peer=" + peer, "--model=" + of.model,
                                 of.on_gpu ? "--device=cuda" : "--device=cpu"};
  const auto add = [&words](const char* name, std::uint64_t value) {
    words.push_back(fmt::format("--{}={}", name, value));
  };
  add("threads", of.train.threads);
  add("batch-size", of.train.batch_size);
  add("dim", of.train.dim);
  add("relation-dim", of.train.relation_dim);
  add("negatives", of.train.negatives.count);
  add("chunk", of.train.negatives.chunk);
  add("steps", of.steps);
  add("repeat", of.repeat);
  add("give-up", of.give_up_seconds);
  add("entities", of.entities);
  add("relations", of.relations);
  add("triples", of.triples);
  return words;
}

KgPeerTime not_known(std::string why) {
  KgPeerTime time;
  time.why = std::move(why);
  return time;
}

}  // namespace

KgPeerTime time_kg_peer(const std::string& peer, const KgPeerCase& of) {
  const auto found = run_peer_script(of.python, "tools/bench/kg/time_steps.py",
                                     arguments_of(peer, of), "step_seconds");
  if (!found) return not_known(found.error().text());
  const nlohmann::json& json = *found;
  if (json.contains("error")) return not_known(json["error"].get<std::string>());
  auto seconds = json["step_seconds"].get<std::vector<double>>();
  std::ranges::sort(seconds);
  KgPeerTime time;
  time.seconds = seconds[seconds.size() / 2];
  if (json["bytes"].is_number()) time.bytes = json["bytes"].get<std::uint64_t>();
  time.how = json["how"].get<std::string>();
  return time;
}

}  // namespace vecc::tools
