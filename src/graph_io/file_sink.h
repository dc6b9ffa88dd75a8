// A graph file being written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "src/support/atomic_file.h"
#include "vecc/error.h"
#include "vecc/graph_io.h"

namespace vecc::graph_io {

/// An AtomicFile whose bytes are compressed on the way. All errors are CannotWrite with the path as
/// place.
class FileSink {
 public:
  [[nodiscard]] static Result<std::unique_ptr<FileSink>> create(const std::string& path,
                                                                Compression compression);
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink();  // removes what was not committed

  [[nodiscard]] Result<void> write(std::string_view bytes);
  [[nodiscard]] Result<void> commit();

 private:
  class Encoder;
  class PlainEncoder;
  class GzipEncoder;
  class ZstdEncoder;

  FileSink(std::string path, AtomicFile file, Compression compression);
  [[nodiscard]] Errors failure() const;

  std::string path_;
  AtomicFile file_;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace vecc::graph_io
