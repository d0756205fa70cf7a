#!/usr/bin/env bash
# Builds the kernels with bounds checks and AddressSanitizer, in a copy, and runs the fuzzers and kernel tests on them.
#
#     tools/check_memory.sh [CASES] [SEED]
#
# CASES (3000 by default) is how many damaged files each fuzzer tries: a few minutes; a million takes a night. Needs gcc
# with libasan and an environment with the test extra. A bounds error inside a loop without the lock is printed, not
# raised, so that its message counts as a failure, too.
set -euo pipefail
cd "$(dirname "$0")/.."
asan=$(gcc -print-file-name=libasan.so)
if [ ! -e "$asan" ]; then
  echo "no libasan: install gcc's AddressSanitizer to check the memory of the kernels" >&2
  exit 1
fi
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r src tests tools setup.py pyproject.toml README.md LICENSE "$copy"
cd "$copy"
find src -name '*_kernel*.so' -delete
printf '[build_ext]\nparallel = 2\n' >setup.cfg
TREEGAUGE_CHECKED=1 pip install --quiet --disable-pip-version-check --no-deps --target checked . >build.log 2>&1 ||
  { cat build.log; exit 1; }
export LD_PRELOAD=$asan PYTHONMALLOC=malloc
export ASAN_OPTIONS=detect_leaks=0:halt_on_error=1:allocator_may_return_null=1:max_malloc_fill_size=1073741824
export PYTHONPATH=$copy/checked:$copy TREEGAUGE_DATA=/nonexistent
export TREEGAUGE_FUZZ_CASES=${1:-3000} TREEGAUGE_FUZZ_SEED=${2:-20131}
python -c 'import sys, treegauge.corpus.conllu_kernel as kernel
sys.exit(None if "checked/" in kernel.__file__ and kernel.__file__.endswith(".so") else f"not checked: {kernel.__file__}")'
status=0
python -m pytest -q -p no:cacheprovider tests/fuzz tests/models/test_{features,lisca,choice,gold,likely_arcs,tags,altered_models}.py \
  tests/ranking/test_texts.py tests/evaluation/test_eval_kernels.py tests/constituency/test_grammar_kernel.py 2>&1 | tee tests.log || status=$?
if grep -qi "Exception ignored in\|unraisable" tests.log; then
  echo "a kernel reached outside an array: see above" >&2
  exit 1
fi
exit $status
