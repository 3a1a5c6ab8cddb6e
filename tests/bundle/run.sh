#!/usr/bin/env bash
# bundle/run with programs that only write down what they are asked: RUN FOLDER.
set -euo pipefail
run=$1
folder=$2

fail() {
  echo "$*" >&2
  exit 1
}

stub() { # stub PROGRAM STATUS
  printf '#!/bin/sh\necho "%s $*" >> "%s/asked.txt"\nexit %s\n' "$1" "$folder" "$2" > "$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}

fresh() { # all programs end well
  rm -rf "$folder"
  mkdir -p "$folder/bin"
  cp "$run" "$folder/run"
  local program
  for program in test_backend_cuda test_dsel_device bench_device tenfold_tune_device bp poisson compute-sanitizer; do
    stub "$program" 0
  done
}

export PATH="$folder/bin:/usr/bin:/bin"

fresh
"$folder/run" > "$folder/said.txt"
[[ $(tail -n 1 "$folder/said.txt") == "run: all passed;"* ]] || fail "run does not say that all passed"
for asked in "test_backend_cuda --test-suite=device" "test_dsel_device --test-suite=device" \
  "compute-sanitizer --tool racecheck" \
  "compute-sanitizer --tool memcheck --error-exitcode 1 bin/test_backend_cuda --test-suite=device" \
  "bench_device --json results/device.json" "poisson --device cuda" \
  "tenfold_tune_device --device cuda --seconds 120 --out results/tuning.txt"; do
  grep -q "^$asked" "$folder/asked.txt" || fail "run does not ask: $asked"
done
[[ $(grep -c "^bp --device cuda" "$folder/asked.txt") -eq 22 ]] || fail "run does not ask for all bake-offs"
[[ -f $folder/results/expressions.txt ]] || fail "run keeps no results"

fresh
"$folder/run" --quick > /dev/null
! grep -q "^tenfold_tune" "$folder/asked.txt" || fail "run tunes although it shall be quick"

fresh
stub test_dsel_device 1
if "$folder/run" > /dev/null 2> "$folder/said.txt"; then fail "run does not see a failure"; fi
grep -q "run: failed: expressions" "$folder/said.txt" || fail "run does not name what failed"
grep -q "^poisson" "$folder/asked.txt" || fail "run stops at the first failure"

fresh
printf '#!/bin/sh\nsleep 60\n' > "$folder/bin/test_backend_cuda"
if TENFOLD_RUN_SECONDS=1 "$folder/run" > /dev/null 2> "$folder/said.txt"; then fail "run waits for ever"; fi
grep -q "run: products was ended after 1 seconds" "$folder/said.txt" || fail "run does not say what it ended"
grep -q "run: failed: products; see" "$folder/said.txt" || fail "run does not count what it ended as failed"
grep -q "^poisson" "$folder/asked.txt" || fail "run stops at a step that it ended"

fresh
stub bp 2 # as without a GPU
if "$folder/run" > /dev/null 2>&1; then fail "run goes on without a GPU"; fi
[[ $(wc -l < "$folder/asked.txt") -eq 1 ]] || fail "run tries more without a GPU"

fresh
if "$folder/run" --fast > /dev/null 2> "$folder/said.txt"; then fail "run takes any option"; fi
grep -q "no option '--fast'" "$folder/said.txt" || fail "run does not name a wrong option"
