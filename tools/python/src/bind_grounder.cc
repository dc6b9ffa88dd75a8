// _core.ground: templates over facts, grounded without a JVM.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "errors.h"
#include "graph.h"
#include "tools/ground/ground_files.h"

namespace vecc::python_package {
namespace {

// Of each query the number of its example, and whether the rules derive it; the names of the
// learnable weights.
using Grounded = std::pair<std::vector<std::pair<std::uint32_t, bool>>, std::vector<std::string>>;

// With PyNeuraLogic's settings, which are not those of NeuraLogic's command line: identity where
// the template says nothing, and outputs that keep the function of their atoms.
Grounded ground(const std::string& template_path, const std::string& facts_path,
                const std::string& queries_path, const std::string& output, const std::string& init,
                std::int64_t seed, bool double_rules, bool double_facts) {
  tools::ground::GroundOptions options;
  options.template_path = template_path;
  options.facts_path = facts_path;
  options.queries_path = queries_path;
  options.output = output;
  options.defaults.rule = Transformation::Identity;
  options.defaults.atom = Transformation::Identity;
  options.keep_outputs = true;
  options.init = init;
  options.seed = seed;
  options.double_rules = double_rules;
  options.double_facts = double_facts;
  options.quiet = true;
  options.producer = "vecc.neuralogic";
  tools::ground::GroundReport report;
  options.report = &report;
  without_lock([&] {
    tools::Stages stages(/*show_progress=*/false);
    take(tools::ground::ground_files(options, stages));
  });
  Grounded result;
  result.second = std::move(report.weights);
  for (const auto& answer : report.answers) {
    result.first.emplace_back(answer.example, answer.derived);
  }
  return result;
}

}  // namespace

void bind_grounder(nb::module_& module) {
  module.def("ground", ground, nb::arg("template_path"), nb::arg("facts_path"),
             nb::arg("queries_path"), nb::arg("output"), nb::kw_only(), nb::arg("init"),
             nb::arg("seed"), nb::arg("double_rules"), nb::arg("double_facts"));
}

}  // namespace vecc::python_package
