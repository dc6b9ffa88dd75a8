#include "src/emit/native/write_program.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "src/emit/common/emitted_files.h"
#include "src/emit/native/plan_tables.h"
#include "src/emit/native/runtime/digest.h"
#include "src/emit/native/weight_rows.h"
#include "src/program/value_indices.h"
#include "src/support/atomic_folder.h"

namespace vecc {
namespace emit {
namespace {

// With `{{NAME}}` filled in.
std::string fill_template(std::string_view text, const NativeLanguage& language) {
  std::string result(text);
  for (const auto& [field, value] : language.fields) {
    for (std::size_t at = result.find(field); at != std::string::npos;
         at = result.find(field, at + value.size())) {
      result.replace(at, field.size(), value);
    }
  }
  return result;
}

bool write_sources(AtomicFolder& folder, const NativeLanguage& language,
                   const KernelFiles& kernels) {
  std::error_code error;
  for (const char* part : {"/kernels", "/runtime"}) {
    std::filesystem::create_directory(folder.path() + part, error);
    errno = error.value();
    if (error) return false;
  }
  constexpr std::string_view kTemplate = ".in";
  for (const std::span<const SourceFile> files : {native_files(), language.files}) {
    for (const SourceFile& file : files) {
      const std::string_view name = file.name;
      const bool written =
          name.ends_with(kTemplate)
              ? folder.write(std::string(name.substr(0, name.size() - kTemplate.size())),
                             fill_template(file.text, language))
              : folder.write("runtime/" + std::string(name), file.text);
      if (!written) return false;
    }
  }
  for (const TextFile& file : kernels.files) {
    if (!folder.write("kernels/" + file.name, file.text)) return false;
  }
  return true;
}

// data.safetensors.
WeightFile make_data(const Plan& plan, const Program& program, const NativeOptions& options,
                     WeightRows& weights, LaunchCode& code, IndexTable& indices) {
  WeightFile data;
  data.tensors =
      plan_tables(plan, program, code.kernel_of, weights.of_parameters(program), indices);
  data.tensors.push_back(std::move(code.table));
  indices.move_to(data.tensors);
  data.tensors.push_back(table_of("weights", weights.rows));
  data.tensors.push_back(sample_lines(options.samples, program.sample_count()));
  data.metadata = std::move(weights.metadata);
  // Of weights alone: bound facts are numbered by tables that a file of weights does not have.
  if (options.weights && options.facts.tensors.empty()) {
    std::ranges::copy_if(options.weights->metadata, std::back_inserter(data.metadata),
                         [](const MetadataEntry& entry) { return entry.first == "vocabularies"; });
  }
  data.metadata.emplace_back("kernels", code.kernels.digest);
  for (const WeightTensor& tensor : data.tensors) {
    data.metadata.emplace_back("digest " + tensor.name, emitted::digest_text(tensor.data));
  }
  return data;
}

}  // namespace

std::string join_flags(std::span<const char* const> flags) {
  std::string text;
  for (const char* flag : flags) text += (text.empty() ? "" : " ") + std::string(flag);
  return text;
}

Result<void> write_program(const NativeLanguage& language, const Program& program,
                           const std::string& directory, const NativeOptions& options) {
  VECC_CHECK(options.samples.empty() || options.samples.size() == program.sample_count(),
             "a text a sample");
  VECC_TRY(AtomicFolder folder,
           open_emitted_folder(language.name, unsupported_in_native(program), directory));
  WeightFile own;
  if (!options.weights) {
    VECC_TRY(own, weights_of_program(program));
  }
  const WeightFile& file = options.weights ? *options.weights : own;
  WeightRows weights;
  weights.add(file, /*is_fact=*/false, options.fixed);
  weights.add(options.facts, /*is_fact=*/true, {});
  const Plan plan = make_plan(program, language.plan);
  const Result<void> verified = verify(plan);
  VECC_CHECK(verified, verified.error().text());
  if (language.check_plan != nullptr) {
    VECC_TRY_VOID(language.check_plan(plan));
  }
  IndexTable indices(plan);
  LaunchCode code = language.launch_code(plan, indices);
  VECC_TRY_VOID(write_weights(file, folder.path() + "/weights.safetensors"));
  if (!options.facts.tensors.empty()) {
    VECC_TRY_VOID(write_weights(options.facts, folder.path() + "/facts.safetensors"));
  }
  VECC_TRY_VOID(write_weights(make_data(plan, program, options, weights, code, indices),
                              folder.path() + "/data.safetensors"));
  if (!write_sources(folder, language, code.kernels) || !folder.commit()) {
    return write_failure(directory, errno);
  }
  return {};
}

}  // namespace emit

std::vector<std::string> unsupported_in_native(const Program& program) {
  std::vector<std::string> gaps;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const OpKind kind = program.op(id).kind();
    if (kind == OpKind::State || kind == OpKind::Update) {
      gaps.push_back("%" + std::to_string(id) + " " + std::string(text_of(kind)) +
                     ": the program holds a forward pass, no training step");
    } else if (has_value_index(program.op(id))) {
      gaps.push_back(value_index_gap(program, id));
    }
  }
  return gaps;
}

}  // namespace vecc
