// The files and folders that one command reads and writes: no two outputs to one file, none to a
// file that is read. What names a file does not matter: ./a, a link, /dev/stdout.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace vecc::tools {

class CommandPaths {
 public:
  /// `name` is what the user knows it by: `--log=csv:a`, `graph`. An empty path is none.
  /// A folder's files are read, too, but for those of which the name says that vecc made them.
  void add_input(std::string name, const std::string& path);
  /// A file, written anew or continued.
  void add_output(std::string name, const std::string& path);
  /// A folder that has files of others, too; what is written there is added by itself.
  void add_shared_folder(std::string name, const std::string& path);
  /// A folder that has nothing else.
  void add_own_folder(std::string name, const std::string& path);
  /// The process's own.
  void add_stdout();

  /// `--log=csv:a and --save-weights=./a name one file`; empty if all are apart. Linear in the
  /// number of paths.
  [[nodiscard]] std::string find_conflict() const;

 private:
  enum class Kind : std::uint8_t { Input, Output, SharedFolder, OwnFolder };
  struct Entry {
    std::string name;
    Kind kind = Kind::Output;
    std::string path;      ///< absolute, without links; empty: known by its number only
    bool exists = false;   ///< then `device` and `number` are its identity
    bool is_plain = true;  ///< a regular file, or none yet
    dev_t device = 0;
    ino_t number = 0;
  };
  void add(std::string name, Kind kind, const std::string& path);
  [[nodiscard]] static bool collide(const Entry& a, const Entry& b);

  std::vector<Entry> entries_;
};

}  // namespace vecc::tools
