#include "backends/native/plan_executable.h"

namespace vecc::native {
namespace {

// What nobody will ask for has no place: its memory is somebody else's by then.
void forget_values(Plan& plan, const Program& program, const PlanOptions& options) {
  if (options.keep_values) return;
  std::vector<bool> kept(plan.places.size());
  for (const ValueId id : options.kept) kept[id] = true;
  for (ValueId id = 0; id < plan.places.size(); ++id) {
    ValuePlace& place = plan.places[id];
    if (kept[id] || place.buffer == kNone || program.op(id).kind() == OpKind::Output) continue;
    if (place.view || plan.buffers[place.buffer].kind == PlanBuffer::Kind::Arena) place = {};
  }
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
  const Result<void> verified = verify(plan);
  VECC_CHECK(verified, verified.error().text());
  forget_values(plan, program, options);
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
