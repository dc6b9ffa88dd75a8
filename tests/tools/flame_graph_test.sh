#!/usr/bin/env bash
# flame_graph_test.sh PYTHON SCRIPT: samples as `perf script` prints them, to an SVG.
set -euo pipefail
python=$1 script=$2
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# Two samples of the first thread (in one of which the system works for it), two of another.
tee "$work/samples" <<'EOF' >/dev/null
  7/7   
	          19a16f vecc::opt::(anonymous namespace)::Merger::merge(std::vector<int, std::allocator<int> > const&) const
	          29a16f vecc::optimize(vecc::Program const&)
	          39a16f main
	          49a16f __libc_start_main

  7/7   
	ffffffff81602c5f do_anonymous_page
	ffffffff81000c82 asm_exc_page_fault
	          29a16f vecc::optimize(vecc::Program const&)
	          39a16f main

  7/9   
	          19a16f vecc::Pairs<float>::operator()(unsigned long) const

  7/9   
	          19a170 vecc::Pairs<float>::sort(unsigned long) const
EOF

fail() {
  echo "$1" >&2
  exit 1
}
"$python" "$script" --title='<a & b>' <"$work/samples" >"$work/flame.svg"
"$python" - "$work/flame.svg" <<'EOF'
import sys
import xml.etree.ElementTree as xml

boxes = xml.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}title")
found = sorted(box.text for box in boxes)
expected = sorted([
    "first thread 50.0 %, 2 samples", "main 50.0 %, 2 samples", "optimize 50.0 %, 2 samples",
    "opt::Merger::merge 25.0 %, 1 samples", "system: asm_exc_page_fault 25.0 %, 1 samples",
    "other threads 50.0 %, 2 samples", "Pairs::operator 25.0 %, 1 samples",
    "Pairs::sort 25.0 %, 1 samples"])
assert found == expected, found
EOF
grep -q '&lt;a &amp; b&gt; (4 samples)' "$work/flame.svg" || fail "no title in $work/flame.svg"

# Frames below the least share have no box.
"$python" "$script" --least=30 <"$work/samples" >"$work/few.svg"
if grep -q merge "$work/few.svg"; then fail "a box of 25 % where 30 % are the least"; fi

! "$python" "$script" </dev/null 2>"$work/error" || fail "drew no samples"
grep -q 'no sample' "$work/error" || fail "no samples: $(cat "$work/error")"
! echo 'vecc 7 [001] 1.5: task-clock:' | "$python" "$script" >/dev/null 2>"$work/error" || fail "drew other lines"
grep -q 'stdin:1: found .*expected' "$work/error" || fail "other lines: $(cat "$work/error")"
