#include "tools/common/command_paths.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as the system's own limit

// Where a file of this path is, or would be: a link to nothing is followed to where it leads.
std::string place_of(fs::path path) {
  std::error_code error;
  for (int links = 0; links < kMaxLinks; ++links) {
    if (!path.has_filename()) path = path.parent_path();
    const bool leads_nowhere =
        fs::is_symlink(fs::symlink_status(path, error)) && !fs::exists(path, error);
    if (!leads_nowhere) break;
    const fs::path target = fs::read_symlink(path, error);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  const fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
  return (error ? path : place).string();
}

// What is written there is gone anyway.
bool is_null_device(const struct stat& status) {
  struct stat null {};
  return S_ISCHR(status.st_mode) && ::stat("/dev/null", &null) == 0 &&
         status.st_rdev == null.st_rdev;
}

// What may lie in a folder of data and is none.
bool is_made_here(std::string_view name) {
  constexpr std::array<std::string_view, 7> kEndings{".pb",   ".pb.gz",       ".pb.zst", ".vecc",
                                                     ".html", ".safetensors", ".jsonl"};
  return std::ranges::any_of(kEndings, [&](auto ending) { return name.ends_with(ending); });
}

}  // namespace

void CommandPaths::add(std::string name, Kind kind, const std::string& path) {
  if (path.empty()) return;
  Entry entry{std::move(name), kind, place_of(path)};
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (is_null_device(status)) return;
    entry.exists = true;
    entry.is_plain = S_ISREG(status.st_mode);
    entry.device = status.st_dev;
    entry.number = status.st_ino;
  }
  entries_.push_back(std::move(entry));
}

void CommandPaths::add_input(std::string name, const std::string& path) {
  add(std::move(name), Kind::Input, path);
}
void CommandPaths::add_output(std::string name, const std::string& path) {
  add(std::move(name), Kind::Output, path);
}
void CommandPaths::add_shared_folder(std::string name, const std::string& path) {
  add(std::move(name), Kind::SharedFolder, path);
}
void CommandPaths::add_own_folder(std::string name, const std::string& path) {
  add(std::move(name), Kind::OwnFolder, path);
}

void CommandPaths::add_stdout() {
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) != 0 || is_null_device(status)) return;
  entries_.push_back({"stdout", Kind::Output, "", true, S_ISREG(status.st_mode) != 0, status.st_dev,
                      status.st_ino});
}

// Of two that name one file or folder.
bool CommandPaths::collide(const Entry& a, const Entry& b) {
  if (a.kind == Kind::Input && b.kind == Kind::Input) return false;
  if (a.kind == Kind::SharedFolder && b.kind == Kind::SharedFolder) return false;
  // A terminal or a socket gives and takes.
  return (a.kind != Kind::Input && b.kind != Kind::Input) || (a.is_plain && b.is_plain);
}

std::string CommandPaths::find_conflict() const {
  const auto report = [](const Entry& a, const Entry& b, std::string_view how) {
    return fmt::format("{} and {} {}", escape_terminal(a.name, 4096), escape_terminal(b.name, 4096),
                       how);
  };
  // The first with an identity, but a writer before readers: those may share it.
  std::map<std::pair<dev_t, ino_t>, const Entry*> by_number;
  std::unordered_map<std::string, const Entry*> by_path;
  const auto meet = [&](const Entry*& known, const Entry& entry) {
    if (known != nullptr && collide(*known, entry)) return true;
    if (known == nullptr || known->kind == Kind::Input) known = &entry;
    return false;
  };
  for (const Entry& entry : entries_) {
    const Entry* none = nullptr;
    const Entry*& same_file = entry.exists ? by_number[{entry.device, entry.number}] : none;
    const Entry* const known = same_file;
    if (meet(same_file, entry)) return report(*known, entry, "name one file");
    if (entry.path.empty() || entry.exists) continue;
    const Entry*& same_path = by_path[entry.path];
    const Entry* const expected = same_path;
    if (meet(same_path, entry)) return report(*expected, entry, "name one file");
  }
  // A folder that is read, a file, or a folder with nothing else in it, that is above an output.
  for (const Entry& entry : entries_) {
    if (!entry.path.empty()) by_path.try_emplace(entry.path, &entry);
  }
  for (const Entry& entry : entries_) {
    if (entry.path.empty() || entry.kind == Kind::Input) continue;
    for (fs::path above = fs::path(entry.path).parent_path(); above.has_relative_path();
         above = above.parent_path()) {
      const auto found = by_path.find(above.string());
      if (found == by_path.end()) continue;
      const Kind kind = found->second->kind;
      if (kind == Kind::Input && entry.exists && entry.is_plain && !is_made_here(entry.path)) {
        return fmt::format("{} names a file of {}", escape_terminal(entry.name, 4096),
                           escape_terminal(found->second->name, 4096));
      }
      if (kind == Kind::Output || kind == Kind::OwnFolder) {
        return report(*found->second, entry,
                      "do not go together: the second is a path inside the first");
      }
    }
  }
  return {};
}

}  // namespace vecc::tools
