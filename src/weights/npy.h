// NumPy's arrays (.npy) and archives of them (.npz).
#pragma once

#include <string>

#include "src/weights/byte_stream.h"
#include "vecc/weights.h"

namespace vecc::weights {

/// `\x93NUMPY`
inline constexpr std::string_view kNpyMark("\x93NUMPY", 6);

/// One array; `stream` holds nothing behind it.
[[nodiscard]] Result<WeightTensor> read_npy(ByteStream& stream, std::string name);

/// The arrays of an archive by their entries' names without `.npy`. `max_bytes`: of all, unpacked.
[[nodiscard]] Result<WeightFile> read_npz(const InputFile& input, std::uint64_t max_bytes);

}  // namespace vecc::weights
