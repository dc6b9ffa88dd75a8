#include "vecc/emit_cpp.h"

#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "src/emit/common/emitted_files.h"
#include "src/emit/cpp/kernel_files.h"
#include "src/emit/cpp/plan_tables.h"
#include "src/emit/cpp/runtime/digest.h"
#include "src/emit/cpp/runtime_files.h"
#include "src/emit/cpp/weight_rows.h"
#include "src/kernel/compile_flags.h"
#include "src/support/atomic_folder.h"
#include "vecc/plan.h"

namespace vecc {
namespace {

std::string join(std::span<const char* const> flags) {
  std::string text;
  for (const char* flag : flags) text += (text.empty() ? "" : " ") + std::string(flag);
  return text;
}

// With `{{NAME}}` filled in.
std::string fill_template(std::string_view text) {
  const std::pair<std::string_view, std::string> fields[] = {
      {"{{FLAGS}}", join(kernel_flags())},
      {"{{X86_FLAGS}}", join(x86_kernel_flags())},
      {"{{ARM_FLAGS}}", join(arm_kernel_flags())}};
  std::string result(text);
  for (const auto& [field, value] : fields) {
    for (std::size_t at = result.find(field); at != std::string::npos;
         at = result.find(field, at + value.size())) {
      result.replace(at, field.size(), value);
    }
  }
  return result;
}

bool write_sources(AtomicFolder& folder, const cpp::KernelFiles& kernels) {
  std::error_code error;
  for (const char* part : {"/kernels", "/runtime"}) {
    std::filesystem::create_directory(folder.path() + part, error);
    errno = error.value();
    if (error) return false;
  }
  constexpr std::string_view kTemplate = ".in";
  for (const cpp::RuntimeFile& file : cpp::runtime_files()) {
    const std::string_view name = file.name;
    const bool written =
        name.ends_with(kTemplate)
            ? folder.write(std::string(name.substr(0, name.size() - kTemplate.size())),
                           fill_template(file.text))
            : folder.write("runtime/" + std::string(name), file.text);
    if (!written) return false;
  }
  for (const cpp::TextFile& file : kernels.files) {
    if (!folder.write("kernels/" + file.name, file.text)) return false;
  }
  return true;
}

// data.safetensors.
WeightFile make_data(const Plan& plan, const Program& program, const CppOptions& options,
                     cpp::WeightRows& weights, const std::string& kernel_digest) {
  WeightFile data;
  data.tensors = cpp::plan_tables(plan, program, weights.of_parameters(program));
  data.tensors.push_back(cpp::table_of("weights", weights.rows));
  data.tensors.push_back(sample_lines(options.samples, program.sample_count()));
  data.metadata = std::move(weights.metadata);
  data.metadata.emplace_back("kernels", kernel_digest);
  for (const WeightTensor& tensor : data.tensors) {
    data.metadata.emplace_back("digest " + tensor.name, emitted::digest_text(tensor.data));
  }
  return data;
}

}  // namespace

std::vector<std::string> unsupported_in_cpp(const Program& program) {
  std::vector<std::string> gaps = unsupported_by_plan(program);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const OpKind kind = program.op(id).kind();
    if (kind != OpKind::State && kind != OpKind::Update) continue;
    gaps.push_back("%" + std::to_string(id) + " " + std::string(text_of(kind)) +
                   ": the program holds a forward pass, no training step");
  }
  return gaps;
}

Result<void> emit_cpp(const Program& program, const std::string& directory,
                      const CppOptions& options) {
  VECC_CHECK(options.samples.empty() || options.samples.size() == program.sample_count(),
             "a text a sample");
  VECC_TRY(AtomicFolder folder, open_emitted_folder("cpp", unsupported_in_cpp(program), directory));
  WeightFile own;
  if (!options.weights) {
    VECC_TRY(own, weights_of_program(program));
  }
  const WeightFile& file = options.weights ? *options.weights : own;
  cpp::WeightRows weights;
  weights.add(file, /*is_fact=*/false, options.fixed);
  weights.add(options.facts, /*is_fact=*/true, {});
  const Plan plan = make_plan(program);
  const Result<void> verified = verify(plan);
  VECC_CHECK(verified, verified.error().text());
  const cpp::KernelFiles kernels = cpp::kernel_files(plan.kernels);
  VECC_TRY_VOID(write_weights(file, folder.path() + "/weights.safetensors"));
  if (!options.facts.tensors.empty()) {
    VECC_TRY_VOID(write_weights(options.facts, folder.path() + "/facts.safetensors"));
  }
  VECC_TRY_VOID(write_weights(make_data(plan, program, options, weights, kernels.digest),
                              folder.path() + "/data.safetensors"));
  if (!write_sources(folder, kernels) || !folder.commit()) {
    return write_failure(directory, errno);
  }
  return {};
}

}  // namespace vecc
