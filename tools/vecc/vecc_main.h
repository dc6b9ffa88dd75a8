// The whole of vecc, behind its main().
#pragma once

namespace vecc::tools {

/// Runs what the words say; the exit code.
[[nodiscard]] int vecc_main(int argc, char** argv);

}  // namespace vecc::tools
