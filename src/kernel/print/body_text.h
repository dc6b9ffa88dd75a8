// The text of a kernel's body, as it grows line by line. Entries of short arrays are computed in
// loops over i, of which consecutive ones that fit become one loop with scalars in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "src/kernel/print/node_text.h"

namespace vecc {

class BodyText {
 public:
  /// `indent`: of its first line.
  BodyText(const Kernel& kernel, const KernelSchedule& schedule, std::string indent)
      : nodes_(kernel, schedule), indent_(std::move(indent)) {}

  [[nodiscard]] const NodeText& nodes() const { return nodes_; }
  [[nodiscard]] const Kernel& kernel() const { return nodes_.kernel(); }
  [[nodiscard]] const KernelSchedule& schedule() const { return nodes_.schedule(); }
  [[nodiscard]] bool on_gpu() const { return schedule().on_gpu(); }

  void line(const std::string& text) { text_ += indent_ + text + "\n"; }
  /// A line that begins a block, and one that ends it.
  void open(const std::string& text);
  void close(const char* text = "}");

  /// Lines of a loop over so many entries: the open one, if it has as many. What follows it.
  void open_loop(std::uint64_t entries);
  void loop_line(const std::string& text) { loop_ += indent_ + "  " + text + "\n"; }
  void after_loop(const std::string& text) { after_loop_ += indent_ + text + "\n"; }
  /// The open loop stores what rows (members) of `space` have.
  void note_store(KernelSpace space) { stores_ = space; }
  void close_loop();
  /// The head of a loop over entries, with what the compiler may know of it.
  [[nodiscard]] std::string entry_loop(std::uint64_t entries) const;

  /// A row that a thread has whole, a row of which a lane has its entries, a node's value.
  void declare_array(const std::string& name, std::uint64_t entries);
  void declare_own(const std::string& name, std::uint64_t entries);
  /// The array of that name, when it is declared next, is at `place`.
  void place_array(const std::string& name, const std::string& place) { placed_ = {name, place}; }
  /// Numbers of members, as many as declare_own() has numbers.
  void declare_members(const std::string& name, std::uint64_t entries);
  void declare(std::uint32_t node);

  /// On a GPU, before a store that may be where others still read. (A lane alone does not wait: a
  /// compiler moves nothing past that.)
  void sync(KernelSpace space);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  NodeText nodes_;
  std::string text_;
  std::string indent_;
  std::string loop_;        // lines of the open loop
  std::string after_loop_;  // what follows it
  std::uint64_t loop_entries_ = 0;
  std::optional<KernelSpace> stores_;
  std::pair<std::string, std::string> placed_;  // a name, and where that array is
};

}  // namespace vecc
