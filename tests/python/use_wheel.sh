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
vecc learn "$DATASETS/shop.db" --target=customers.churn --epochs=20 --quiet >metrics
vecc predict model.vecc "$DATASETS/shop.db" --quiet >rows
[[ $(wc -l <rows) == 301 && -s metrics && -s model.html ]]
echo '{1} q :- {1} a(X).' >rules && echo '1 q :- a(x).' >facts
vecc-ground rules --facts=facts -o grounded.pb --quiet
vecc grounded.pb --quiet >outputs
printf 'a\tr\tb\nb\tr\tc\n' >triples
vecc-kg train triples --model=transe --dim=2 --epochs=1 --quiet >/dev/null
[[ -s outputs ]]
# Zig makes its C++ library first.
if [[ -z ${VECC_WITHOUT_COMPILER-} ]] && ((SECONDS >= 60)); then
  echo "the wheel works, but in $SECONDS s: expected less than 60" >&2
  exit 1
fi
echo "the wheel works, in $SECONDS s"
