// vecc devices: the GPUs of this machine, and whether each backend can run here.
#pragma once

namespace vecc::tools {

/// `argv[0]` is "devices". Returns the exit code.
[[nodiscard]] int devices_main(int argc, char** argv);

}  // namespace vecc::tools
