#include "backends/native/plan_executable.h"

#include "src/support/free_memory.h"
#include "src/support/timed_stage.h"

namespace vecc::native {
namespace {

// What nothing will ask for has no place: its memory is another one's by then. Views of it go, with
// their lists.
void forget_values(Plan& plan, const Program& program, const PlanOptions& options) {
  if (options.keep_values) return;
  std::vector<bool> kept(plan.places.size());
  for (const ValueId id : options.kept) kept[id] = true;
  std::vector<Index> views;
  for (ValueId id = 0; id < plan.places.size(); ++id) {
    ValuePlace& place = plan.places[id];
    if (place.buffer == kNone) continue;
    const bool is_read = kept[id] || program.op(id).kind() == OpKind::Output;
    const bool has_view = place.view != kNone;
    if (!is_read && (has_view || plan.buffers[place.buffer].kind == PlanBuffer::Kind::Arena)) {
      place = {};
    } else if (has_view) {
      views.push_back(std::move(plan.views[place.view]));
      place.view = static_cast<std::uint32_t>(views.size() - 1);
    }
  }
  plan.views = std::move(views);
}

}  // namespace

PlanOptions plan_options(const ExecutionOptions& options, const GradientProgram& program) {
  PlanOptions plan;
  plan.keep_values = options.keep_values;
  plan.kept = options.kept;
  plan.precision = options.precision;
  if (!options.gradients) return plan;
  plan.second_stage = program.first;
  for (const auto& gradient : program.gradients) {
    if (gradient) plan.kept.push_back(*gradient);
  }
  return plan;
}

Plan make_verified_plan(const Program& program, const PlanOptions& options) {
  Plan plan = make_plan(program, options);
  const TimedStage stage("plan: verify");
  const Result<void> verified = verify(plan);
  VECC_CHECK(verified, verified.error().text());
  forget_values(plan, program, options);
  return_free_memory(program.ops().size());
  return plan;
}

void check_gradients(const Program& program, const ExecutionOptions& options,
                     const std::string& backend, Errors& errors) {
  for (ValueId id = 0; options.gradients && id < program.ops().size(); ++id) {
    const OpKind kind = program.op(id).kind();
    if (kind != OpKind::Update && kind != OpKind::Vjp) continue;
    const std::string text(text_of(kind));
    errors.add(
        ErrorCode::BackendUnsupported, backend,
        "%" + std::to_string(id) + " " + text + ": no gradients of a Program with " + text + "s");
  }
}

}  // namespace vecc::native
