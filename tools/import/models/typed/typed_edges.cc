#include "tools/import/models/typed/typed_edges.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

Errors too_many(const TypedGraph& data, std::uint64_t found, const char* what) {
  return Errors(ErrorCode::LimitEdges, escape_terminal(data.name),
                std::to_string(found) + " " + what + ", expected fewer than " +
                    std::to_string(kNone) + "; ground without inverse relations, or less");
}

// By target, then by source, each relation's edges.
void sort_relations(TypedEdges& edges) {
  std::vector<std::uint64_t> ends;  // of one relation: target * 2^32 + source
  std::uint32_t most = 0;
  for (std::uint32_t r = 0; r < edges.relation_count(); ++r) {
    most = std::max(most, edges.relation_begin[r + std::size_t{1}] - edges.relation_begin[r]);
  }
  ends.reserve(most);
  for (std::uint32_t r = 0; r < edges.relation_count(); ++r) {
    const std::uint32_t begin = edges.relation_begin[r];
    const std::uint32_t end = edges.relation_begin[r + std::size_t{1}];
    ends.clear();
    for (std::uint32_t e = begin; e < end; ++e) {
      ends.push_back(std::uint64_t{edges.target[e]} << 32 | edges.source[e]);
    }
    std::sort(ends.begin(), ends.end());
    for (std::uint32_t e = begin; e < end; ++e) {
      edges.target[e] = static_cast<std::uint32_t>(ends[e - begin] >> 32);
      edges.source[e] = static_cast<std::uint32_t>(ends[e - begin]);
    }
  }
}

}  // namespace

Result<TypedEdges> sort_edges(const TypedGraph& data, bool inverse) {
  const std::uint64_t factor = inverse ? 2 : 1;
  const std::uint64_t count = data.edge_count() * factor;
  const std::uint64_t relations = data.relation_count() * factor;
  if (count >= kNone) return too_many(data, count, "edges");
  if (relations >= kNone) return too_many(data, relations, "relations");
  TypedEdges edges;
  // Entry r + 1 counts relation r, then is where its next edge goes, and so where its edges end.
  std::vector<std::uint32_t>& begin = edges.relation_begin;
  begin.resize(relations + 2);
  for (const std::uint32_t r : data.relation) ++begin[r + std::size_t{2}];
  for (std::uint32_t r = 0; inverse && r < data.relation_count(); ++r) {
    begin[data.relation_count() + r + std::size_t{2}] = begin[r + std::size_t{2}];
  }
  for (std::size_t r = 1; r < begin.size(); ++r) begin[r] += begin[r - 1];
  edges.source.resize(count);
  edges.target.resize(count);
  const auto add = [&](std::uint32_t relation, std::uint32_t source, std::uint32_t target) {
    const std::uint32_t at = begin[relation + std::size_t{1}]++;
    edges.source[at] = source;
    edges.target[at] = target;
  };
  for (std::size_t e = 0; e < data.edge_count(); ++e) {
    add(data.relation[e], data.source[e], data.target[e]);
    if (inverse) add(data.relation_count() + data.relation[e], data.target[e], data.source[e]);
  }
  begin.pop_back();
  sort_relations(edges);
  return edges;
}

RelationHeads find_heads(const TypedEdges& edges) {
  RelationHeads heads;
  // Twice: counted, then written, so that no column grows by doubling.
  for (const bool is_count : {true, false}) {
    std::uint32_t found = 0;
    for (std::uint32_t r = 0; r < edges.relation_count(); ++r) {
      const std::uint32_t begin = edges.relation_begin[r];
      for (std::uint32_t e = begin; e < edges.relation_begin[r + std::size_t{1}]; ++e) {
        if (e > begin && edges.target[e] == edges.target[e - 1]) continue;
        if (!is_count) {
          heads.begin[found] = e;
          heads.target[found] = edges.target[e];
        }
        ++found;
      }
    }
    heads.begin.resize(found + std::size_t{1}, edges.count());
    heads.target.resize(found);
  }
  return heads;
}

ItemLists list_by_key(const std::vector<std::uint32_t>& keys, std::uint32_t key_count) {
  ItemLists lists;
  // Entry k + 1 counts, then is where the next item of key k goes, and so where those of k end.
  lists.begin.resize(key_count + std::size_t{2});
  for (const std::uint32_t key : keys) ++lists.begin[key + std::size_t{2}];
  for (std::size_t k = 1; k < lists.begin.size(); ++k) lists.begin[k] += lists.begin[k - 1];
  lists.item.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    lists.item[lists.begin[keys[i] + std::size_t{1}]++] = static_cast<std::uint32_t>(i);
  }
  lists.begin.pop_back();
  return lists;
}

Result<RelationEnds> find_ends(const TypedEdges& edges, const TypedGraph& data) {
  RelationEnds ends;
  ends.of_source.resize(edges.count());
  ends.of_target.resize(edges.count());
  ends.source_begin.push_back(0);
  ends.target_begin.push_back(0);
  std::vector<std::uint32_t> others;                        // nodes that a relation only enters
  std::vector<std::uint32_t> seen(data.node_count, kNone);  // the last relation that met the node
  std::vector<std::uint32_t> end(data.node_count);          // the node's end in it
  for (std::uint32_t r = 0; r < edges.relation_count(); ++r) {
    const std::uint32_t last = edges.relation_begin[r + std::size_t{1}];
    for (std::uint32_t e = edges.relation_begin[r]; e < last; ++e) {
      const std::uint32_t node = edges.source[e];
      if (std::exchange(seen[node], r) != r) {
        end[node] = static_cast<std::uint32_t>(ends.node.size());
        ends.node.push_back(node);
      }
      ends.of_source[e] = end[node];
    }
    // How many sources there will be is not known yet: the others count down from the top.
    for (std::uint32_t e = edges.relation_begin[r]; e < last; ++e) {
      const std::uint32_t node = edges.target[e];
      if (std::exchange(seen[node], r) != r) {
        end[node] = kNone - static_cast<std::uint32_t>(others.size());
        others.push_back(node);
      }
      ends.of_target[e] = end[node];
    }
    const std::uint64_t found = ends.node.size() + std::uint64_t{others.size()};
    if (found >= kNone) return too_many(data, found, "ends of relations");
    ends.source_begin.push_back(static_cast<std::uint32_t>(ends.node.size()));
    ends.target_begin.push_back(static_cast<std::uint32_t>(others.size()));
  }
  ends.source_count = static_cast<std::uint32_t>(ends.node.size());
  for (std::uint32_t& target : ends.of_target) {
    if (target >= ends.source_count) target = ends.source_count + (kNone - target);
  }
  ends.node.insert(ends.node.end(), others.begin(), others.end());
  return ends;
}

}  // namespace vecc::tools
