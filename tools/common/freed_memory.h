// What becomes of memory that the process no longer uses.
#pragma once

namespace vecc::tools {

/// Freed memory is kept and used again. Passes over millions of rows make and drop arrays of
/// hundreds of megabytes; from the system each page would come anew, with a fault and a page of
/// zeros (a sixth of the time for a graph of 8 million neurons). The heap grows by 64 MB, or where
/// the system has no such piece any more, by what is asked for. To be called before anything else.
/// Does nothing where the C library is not glibc.
void keep_freed_memory();

/// The system gets back what is kept: before what runs long.
void return_freed_memory();

/// For a library in a process of others: freed memory is kept while it lives, if `keeps`; then the
/// system gets it back, and again each block of more than 32 MB that is freed, as without. Of two
/// at once the first to end does so, and the other one's work only takes longer.
class FreedMemoryScope {
 public:
  explicit FreedMemoryScope(bool keeps);
  FreedMemoryScope(const FreedMemoryScope&) = delete;
  FreedMemoryScope& operator=(const FreedMemoryScope&) = delete;
  ~FreedMemoryScope();

 private:
  bool keeps_;
};

}  // namespace vecc::tools
