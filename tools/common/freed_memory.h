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

}  // namespace vecc::tools
