#include "src/support/build_id.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace vecc {
namespace {

struct Search {
  std::uintptr_t address = 0;  // in the object that is looked for
  std::string id;
};

std::size_t padded(std::size_t size) {
  return (size + 3) / 4 * 4;
}

// The build id among the notes of a loaded object, as hexadecimal digits.
std::string find_build_id(std::string_view notes) {
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t name = padded(note.n_namesz);
    if (name > notes.size() || padded(note.n_descsz) > notes.size() - name) return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, 4) == std::string_view("GNU\0", 4)) {
      std::string id = "id ";
      for (const char c : notes.substr(name, note.n_descsz)) {
        const auto byte = static_cast<unsigned char>(c);
        id += "0123456789abcdef"[byte >> 4];
        id += "0123456789abcdef"[byte & 15];
      }
      return id;
    }
    notes.remove_prefix(name + padded(note.n_descsz));
  }
  return {};
}

std::string describe_file(const char* name) {
  const char* const path = name == nullptr || *name == '\0' ? "/proc/self/exe" : name;
  struct stat status {};
  if (::stat(path, &status) != 0) return {};
  return std::string("file ") + path + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
}

int visit(dl_phdr_info* info, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool is_it = false;
  std::string_view notes;
  std::string id;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD) {
      is_it = is_it || (search.address >= begin && search.address - begin < segment.p_memsz);
    } else if (segment.p_type == PT_NOTE && id.empty()) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): where the loader put it
      notes = {reinterpret_cast<const char*>(begin), segment.p_memsz};
      id = find_build_id(notes);
    }
  }
  if (!is_it) return 0;
  search.id = id.empty() ? describe_file(info->dlpi_name) : id;
  return 1;
}

}  // namespace

std::string build_id() {
  Search search;
  search.address = reinterpret_cast<std::uintptr_t>(&find_build_id);
  ::dl_iterate_phdr(visit, &search);
  return search.id;
}

}  // namespace vecc
