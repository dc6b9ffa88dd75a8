// What folders of emitted programs have in common, whatever the language.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/support/atomic_folder.h"
#include "vecc/emitted_sample.h"
#include "vecc/error.h"
#include "vecc/program.h"
#include "vecc/weights.h"

namespace vecc {

/// Numbers as elements: F32 where every one is exactly a float, else F64.
[[nodiscard]] WeightTensor tensor_of_numbers(std::string name, const SharedNumbers& values,
                                             std::vector<std::uint64_t> shape);

/// The Program's own parameters. Error: MissingValues for each without values.
[[nodiscard]] Result<WeightFile> weights_of_program(const Program& program);

/// `sample_lines`: `id<TAB>target` a line. Without samples: numbers, and no targets.
[[nodiscard]] WeightTensor sample_lines(const std::vector<EmittedSample>& samples,
                                        std::uint32_t sample_count);

/// The folder to write to, which appears with commit(). Errors: BackendUnsupported, of `language`,
/// for each of `gaps`, what the Program has that cannot be emitted; CannotWrite.
[[nodiscard]] Result<AtomicFolder> open_emitted_folder(std::string_view language,
                                                       std::vector<std::string> gaps,
                                                       const std::string& directory);

/// CannotWrite, from errno.
[[nodiscard]] Errors write_failure(const std::string& directory, int error);

}  // namespace vecc
