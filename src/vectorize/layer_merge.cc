#include "src/vectorize/layer_merge.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <utility>

namespace vecc::vectorizer {
namespace {

std::vector<std::uint32_t> classes_of(const LayerPlan& plan) {
  std::vector<std::uint32_t> classes;
  classes.reserve(plan.uses.size());
  for (const ElementUse& use : plan.uses) classes.push_back(use.element_class);
  if (plan.form != LayerForm::Positions) std::sort(classes.begin(), classes.end());
  return classes;
}

bool equal_signature(const LayerPlan& a, const LayerPlan& b) {
  return a.form == b.form && a.function == b.function && a.transformation == b.transformation &&
         a.combined == b.combined && a.shape == b.shape && a.members == b.members &&
         classes_of(a) == classes_of(b);
}

std::size_t signature_hash(const LayerPlan& plan) {
  std::size_t seed = std::hash<Shape>()(plan.shape);
  boost::hash_combine(seed, plan.function);
  boost::hash_combine(seed, static_cast<int>(plan.form));
  boost::hash_combine(seed, plan.members);
  for (const std::uint32_t c : classes_of(plan)) boost::hash_combine(seed, c);
  return seed;
}

/// Reading all rows of one layer costs nothing: it is the layer itself.
bool reads_whole_layer(const ElementUse& use, const Placement& placement) {
  return use.layers.size() == 1 && placement.layers[use.layers[0]].rows == use.count;
}

/// Ops that one layer of this signature launches.
int launches(const LayerPlan& plan, const Placement& placement) {
  const bool is_fact = plan.form == LayerForm::UnitFact || plan.form == LayerForm::ConstantFact ||
                       plan.form == LayerForm::Constant;
  if (is_fact) return 1;  // a constant less for its readers to concatenate
  int count = plan.transformation.id == Transformation::Identity ? 0 : 1;
  if (plan.elements > plan.neurons.size()) ++count;                           // the reduction
  if (plan.form != LayerForm::Positions && plan.uses.size() > 1) count += 2;  // concat, gather
  for (const ElementUse& use : plan.uses) {
    const bool has_weight = !use.tables.empty();
    const bool has_input = !use.layers.empty();
    if (has_weight) ++count;
    if (has_input && !reads_whole_layer(use, placement)) ++count;
    if (has_weight && has_input) ++count;
  }
  return count;
}

/// The use of `plan` that matches use number k of a plan of equal signature.
std::size_t matching_use(const LayerPlan& plan, std::size_t k, std::uint32_t element_class) {
  if (plan.form == LayerForm::Positions) return k;
  const auto found = std::find_if(plan.uses.begin(), plan.uses.end(), [&](const ElementUse& use) {
    return use.element_class == element_class;
  });
  return static_cast<std::size_t>(found - plan.uses.begin());
}

/// Concats that joining b's sources to a's adds.
int added_concats(const LayerPlan& a, const LayerPlan& b) {
  int count = 0;
  for (std::size_t k = 0; k < b.uses.size(); ++k) {
    const ElementUse& use = b.uses[k];
    const ElementUse& other = a.uses[matching_use(a, k, use.element_class)];
    count += (use.layers != other.layers ? 1 : 0) + (use.tables != other.tables ? 1 : 0);
  }
  return count;
}

void unite(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  std::vector<std::uint32_t> both;
  std::set_union(into.begin(), into.end(), from.begin(), from.end(), std::back_inserter(both));
  into = std::move(both);
}

void merge_into(LayerPlan& into, LayerPlan&& from) {
  for (std::size_t k = 0; k < from.uses.size(); ++k) {
    const ElementUse& use = from.uses[k];
    ElementUse& same = into.uses[matching_use(into, k, use.element_class)];
    same.count += use.count;
    unite(same.layers, use.layers);
    unite(same.tables, use.tables);
  }
  into.neurons.insert(into.neurons.end(), from.neurons.begin(), from.neurons.end());
  into.elements += from.elements;
  constexpr std::size_t kLongestNote = 80;
  const std::string& note = into.note;
  if (note.size() + from.note.text().size() < kLongestNote) {
    into.note = note + ", " + from.note.text();
  } else if (!note.ends_with("...")) {
    into.note = note + ", ...";
  }
}

}  // namespace

std::uint32_t merge_layers(std::vector<LayerPlan>& plans, const Placement& placement) {
  boost::unordered_flat_map<std::size_t, std::vector<std::size_t>> by_signature;
  std::vector<LayerPlan> merged;
  std::uint32_t gone = 0;
  for (LayerPlan& plan : plans) {
    auto& candidates = by_signature[signature_hash(plan)];
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](std::size_t i) {
      return equal_signature(merged[i], plan) && merged[i].elements + plan.elements < kNone &&
             launches(plan, placement) > added_concats(merged[i], plan);
    });
    if (found != candidates.end()) {
      merge_into(merged[*found], std::move(plan));
      ++gone;
    } else {
      candidates.push_back(merged.size());
      merged.push_back(std::move(plan));
    }
  }
  plans = std::move(merged);
  return gone;
}

}  // namespace vecc::vectorizer
