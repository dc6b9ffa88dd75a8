// Files in the user's cache folder of what was measured on a device: JSON objects that say of which
// backend and device they are, and which vecc wrote them.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc {

/// Which file: of a folder ("cost") of the user's cache folder.
struct DeviceFile {
  std::string_view folder;
  std::string_view prefix;  ///< of the file's name, for more than one a device; may be empty
  std::string_view backend;
  std::string_view device;  ///< its full name: "cuda:0 NVIDIA H200"
};

/// Error: CannotWrite (there is no cache folder).
[[nodiscard]] Result<std::string> device_file_path(const DeviceFile& file);

/// None: there is no such file. Errors: FileUnreadable; WrongChecksum (its bytes have not the
/// CRC-32 that was written with them); BadTable (no JSON object, damaged or cut off; another
/// backend's, device's or vecc's).
[[nodiscard]] Result<std::optional<nlohmann::ordered_json>> read_device_file(
    const DeviceFile& file);

/// Writes `content` (an object) and whose it is; an old file is replaced whole. Returns the path.
/// Error: CannotWrite.
[[nodiscard]] Result<std::string> write_device_file(const DeviceFile& file,
                                                    const nlohmann::ordered_json& content);

}  // namespace vecc
