// What the lines of a forward pass call each other's values: variables of one method, attributes
// of `v` where several methods read them, lists of all levels of a loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/emit/python/levels.h"
#include "src/emit/python/op_emitter.h"

namespace vecc::python {

/// The part of reads in forward() itself, after all parts.
inline constexpr std::uint32_t kEnd = 0xFFFFFFFF;

class ForwardNames {
 public:
  /// `part_of`: by element of `levels`.
  ForwardNames(const OpEmitter& emitter, const std::vector<Statement>& statements,
               const std::vector<Levels>& levels, const std::vector<std::size_t>& made_at,
               const std::vector<std::uint32_t>& part_of);

  // The readers of each value; all of it comes before any text.
  void note_reads(const Code& code, std::uint32_t part);
  void note_loop_reads(const Levels& loop);

  /// What reads a name outside its loop.
  [[nodiscard]] std::string text(NameId id) const;
  /// The same of several; levels one after another are written as one.
  [[nodiscard]] std::string text(const std::vector<NameId>& ids) const;
  /// What reads, in a loop, `first` in its first level and `second` in its second.
  [[nodiscard]] std::string text(const Levels& loop, NameId first, NameId second) const;

  /// The variable of a line, in all levels.
  [[nodiscard]] std::string variable(const Levels& levels, std::size_t line) const;
  /// The list of its values in all levels; empty if it is never read.
  [[nodiscard]] std::string list(const Levels& loop, std::size_t line) const;
  /// What the next level reads a line's value from: the variable, or one that keeps it while the
  /// next level makes its own; empty if no level does.
  [[nodiscard]] std::string carrier(const Levels& loop, std::size_t line) const;

 private:
  struct Place {
    const Levels* levels = nullptr;
    std::size_t level = 0;
    std::size_t line = 0;
  };
  enum class Carry : std::uint8_t { No, InVariable, InCopy };
  /// Elements of a list of names that are the same lines of one level after another.
  struct Run {
    std::size_t lines = 0;
    std::size_t levels = 0;
  };

  [[nodiscard]] Place place_of(NameId id) const;
  void note_read(NameId id, std::uint32_t part, bool in_list);
  void note_loop_read(const Levels& loop, std::size_t line, NameId first, NameId second);
  [[nodiscard]] Run run_at(const std::vector<NameId>& ids, std::size_t at) const;
  [[nodiscard]] std::string text_of_run(const std::vector<NameId>& ids, std::size_t at,
                                        const Run& run) const;

  const OpEmitter& emitter_;
  const std::vector<Statement>& statements_;
  const std::vector<Levels>& levels_;
  const std::vector<std::size_t>& made_at_;
  const std::vector<std::uint32_t>& part_of_;
  std::vector<std::size_t> levels_of_;  // by statement
  // By statement; of a loop, by those of its first level.
  std::vector<bool> is_shared_;
  std::vector<bool> has_list_;
  std::vector<bool> is_list_shared_;
  std::vector<Carry> carry_;
};

}  // namespace vecc::python
