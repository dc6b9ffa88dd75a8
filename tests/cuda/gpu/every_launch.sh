#!/usr/bin/env bash
# every_launch.sh PROGRAM: runs it once for each way to start kernels on a GPU; skipped without one.
set -uo pipefail
if [[ ${VECC_TEST_DEVICE-} != cuda* ]]; then
  echo "skipped: VECC_TEST_DEVICE is not cuda (tools/test-gpu)"
  exit 77
fi
status=0
for launch in graph parts grid cluster; do
  echo "VECC_CUDA_LAUNCH=$launch"
  VECC_CUDA_LAUNCH=$launch "$1" || status=1
done
exit "$status"
