// NumPy's archives of arrays, written: numpy.load() reads them without pickle.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::weights {

/// One array; its bytes are little-endian, in C order.
struct NpzArray {
  std::string name;  ///< ASCII; the entry is NAME.npy
  std::string type;  ///< NumPy's: "<f4", "<f8", "<U12"
  std::vector<std::uint64_t> shape;
  std::string_view data;
};

/// Writes the archive by calls of `write`: stored entries, with the sizes of zip64, so that any
/// size fits.
void write_npz(const std::vector<NpzArray>& arrays,
               const std::function<void(std::string_view)>& write);

/// An array of text, `<UN`: each name as N characters of 32 bits, the shorter ones filled with 0.
/// `data` holds its bytes and must outlive it. The names are UTF-8 without NUL.
[[nodiscard]] NpzArray text_array(std::string name, const StringColumn& names, std::string& data);
/// The bytes that text_array() needs.
[[nodiscard]] std::uint64_t text_array_bytes(const StringColumn& names);

}  // namespace vecc::weights
