# steps.sh: what the parts share: a step is one line, "  ok NAME …" or "  FAILED NAME …"; its output goes to a log.
# Not here: counting (run).
logs=build/platforms/logs
mkdir -p "$logs"
steps_failed=0

#   step NAME COMMAND…       the last line that it printed is shown if it counts something
step() {
  local name=$1 log began=$SECONDS reported
  shift
  log=$logs/${name//[ \/:]/-}.log
  if "$@" >"$log" 2>&1 </dev/null; then
    reported=$(grep -E '^[0-9]+ [a-z ]+(, [0-9]+ [a-z ]+)*$|\[  PASSED  \]' "$log" | tail -n 1)
    printf '  ok %-44s %4d s  %s\n' "$name" $((SECONDS - began)) "$reported"
  else
    tail -n 40 "$log"
    printf '  FAILED %-40s %4d s  (%s)\n' "$name" $((SECONDS - began)) "$log"
    steps_failed=1
    return 1
  fi
}

#   build_for NAME TOOLCHAIN [-D…]     configures and builds build/platforms/NAME
build_for() {
  local name=$1 toolchain=$2 generator=()
  shift 2
  if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  if [ ! -f "build/platforms/$name/CMakeCache.txt" ]; then
    env -u CMAKE_CXX_COMPILER_LAUNCHER cmake -S platforms -B "build/platforms/$name" "${generator[@]}" \
      --toolchain "$PWD/cmake/$toolchain.cmake" "$@" || return 1
  fi
  cmake --build "build/platforms/$name" -j "$JOBS"
}
