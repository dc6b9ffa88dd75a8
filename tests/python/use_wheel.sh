#!/usr/bin/env bash
# use_wheel.sh ENVIRONMENT DATASETS: README's Python and the programs of an installed wheel. With
# VECC_WITHOUT_COMPILER set, no compiler of the machine's is in PATH: the package ziglang has one, or
# kernels are interpreted.
set -euo pipefail
ENVIRONMENT=$(realpath -- "$1") DATASETS=$(realpath -- "$2")
WORK=$(mktemp -d)
trap 'rm -rf -- "$WORK"' EXIT
cd "$WORK"
mkdir bin && ln -s /bin/rm /usr/bin/wc bin/
if [[ -n ${VECC_WITHOUT_COMPILER-} ]]; then PATH=$WORK/bin; fi
export PATH=$ENVIRONMENT/bin:$PATH VECC_CACHE_DIR=$WORK/cache
unset PYTHONPATH

python - "$DATASETS" <<'END'
import sys

import numpy as np

import vecc

graph = vecc.load(sys.argv[1] + "/mutagenesis.pb")
program = graph.compile(backend="cpu")
assert np.allclose(program(), graph.evaluate(), atol=1e-5)
history = program.train(epochs=200, lr=0.01, loss="softentropy").history
assert history[-1]["loss"] < history[0]["loss"], history[-1]
program.save_weights("w.safetensors")
END
vecc "$DATASETS/mutagenesis.pb" --backend=cpu --quiet --load-weights=w.safetensors >outputs
vecc-import synth --help >help
[[ $(wc -l <outputs) == 188 && -s help ]]
vecc "$DATASETS/xor.pb" --emit=ir -o xor.ir --quiet
vecc-opt xor.ir >optimized
[[ -s optimized ]]
echo "the wheel works"
