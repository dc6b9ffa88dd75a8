// A graph file being written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "src/support/atomic_file.h"
#include "vecc/error.h"
#include "vecc/graph_io.h"

namespace vecc::graph_io {

/// An AtomicFile whose bytes are compressed on the way. Errors are CannotWrite with the path as
/// place, and Usage for a level that the compression does not have.
class FileSink {
 public:
  [[nodiscard]] static Result<std::unique_ptr<FileSink>> create(const std::string& path,
                                                                const Encoding& encoding);
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink();  // removes what was not committed

  [[nodiscard]] Result<void> write(std::string_view bytes);
  /// Nothing more is written: the last bytes go to the file, and what compressed them is given
  /// back.
  [[nodiscard]] Result<void> end();
  /// end(), and the file can fail in nothing but its rename: before several are committed.
  [[nodiscard]] Result<void> seal();
  [[nodiscard]] Result<void> commit();

 private:
  class Encoder;
  class PlainEncoder;
  class GzipEncoder;
  class ZstdEncoder;

  FileSink(std::string path, AtomicFile file, const Encoding& encoding);
  [[nodiscard]] Errors failure() const;

  std::string path_;
  AtomicFile file_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace vecc::graph_io
