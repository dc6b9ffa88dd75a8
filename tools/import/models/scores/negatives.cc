#include "tools/import/models/scores/negatives.h"

#include <algorithm>
#include <string>

#include "tools/import/models/scores/entity_names.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

std::uint64_t key_of(std::uint32_t entity, std::uint32_t opposite) {
  return std::uint64_t{entity} << 32 | opposite;
}

}  // namespace

Corruption::Corruption(const TypedGraph& data)
    : data_(data),
      tails_(sort_opposites(data, data.source, data.target)),
      heads_(sort_opposites(data, data.target, data.source)) {}

Corruption::Opposites Corruption::sort_opposites(const TypedGraph& data,
                                                 const std::vector<std::uint32_t>& entity,
                                                 const std::vector<std::uint32_t>& opposite) {
  Opposites of;
  of.begin.assign(data.relation_count() + std::size_t{1}, 0);
  for (const std::uint32_t r : data.relation) ++of.begin[r + std::size_t{1}];
  for (std::size_t r = 1; r < of.begin.size(); ++r) of.begin[r] += of.begin[r - 1];
  std::vector<std::uint64_t> next(of.begin.begin(), of.begin.end() - 1);
  of.keys.resize(data.edge_count());
  for (std::uint64_t e = 0; e < data.edge_count(); ++e) {
    of.keys[next[data.relation[e]]++] = key_of(entity[e], opposite[e]);
  }
  for (std::size_t r = 0; r + 1 < of.begin.size(); ++r) {
    std::sort(of.keys.data() + of.begin[r], of.keys.data() + of.begin[r + 1]);
  }
  return of;
}

Corruption::Known Corruption::find_known(const Opposites& of, std::uint32_t relation,
                                         std::uint32_t entity) {
  const std::uint64_t* begin = of.keys.data() + of.begin[relation];
  const std::uint64_t* end = of.keys.data() + of.begin[relation + std::size_t{1}];
  const std::uint64_t* first = std::lower_bound(begin, end, key_of(entity, 0));
  return {first, std::upper_bound(first, end, key_of(entity, 0xFFFFFFFF))};
}

bool Corruption::is_known(const Triple& triple) const {
  const Known known = find_known(tails_, triple.relation, triple.head);
  return std::binary_search(known.first, known.last, key_of(triple.head, triple.tail));
}

Result<Triple> Corruption::draw(const Triple& positive, SplitMix& random) const {
  const std::uint64_t entities = data_.node_count;
  const bool replaces_head = random.next() >> 63 != 0;
  for (const bool head : {replaces_head, !replaces_head}) {
    const Known known = head ? find_known(heads_, positive.relation, positive.tail)
                             : find_known(tails_, positive.relation, positive.head);
    if (known.count() >= entities) continue;
    // Unknown entity number k: below the i-th known one (from 0) there are known[i] - i unknown
    // ones, so as many known entities come before it as have at most k of those.
    const std::uint64_t k = random.below(entities - known.count());
    const std::uint64_t* split =
        std::partition_point(known.first, known.last, [&](const std::uint64_t& key) {
          return (key & 0xFFFFFFFF) - static_cast<std::uint64_t>(&key - known.first) <= k;
        });
    const auto entity =
        static_cast<std::uint32_t>(k + static_cast<std::uint64_t>(split - known.first));
    return head ? Triple{entity, positive.relation, positive.tail}
                : Triple{positive.head, positive.relation, entity};
  }
  return saturated(positive);
}

Errors Corruption::saturated(const Triple& positive) const {
  const std::string head = escape_terminal(entity_name(data_, positive.head));
  const std::string relation = escape_terminal(data_.relation_names[positive.relation]);
  const std::string tail = escape_terminal(entity_name(data_, positive.tail));
  return Errors(ErrorCode::Usage, escape_terminal(data_.name),
                "triple (" + head + ", " + relation + ", " + tail +
                    ") has no corrupted triple: every entity is a head of \"" + relation +
                    "\" with this tail and a tail with this head; use --negatives=0");
}

}  // namespace vecc::tools
