#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Draws results of mpbench-run: one graph for each test, from the files PREFIX_TEST.dat, PREFIX_TEST-TASKS.dat.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -uo pipefail
unset CDPATH

all_tests=(barrier latency roundtrip bandwidth broadcast reduce allreduce bibw alltoall isend irecv irsend)

usage() {
    cat <<'END'
usage: make_graphs.sh PREFIX [TEST,.. | TEST..]

PREFIX  what the names of the data have in common, results/Linux-kiwi_mpi; without a folder: beside this script
TEST    barrier, latency, roundtrip, bandwidth, broadcast, reduce, allreduce, bibw, alltoall, isend, irecv, irsend
        (default: all that are there)
END
}

case ${1:-} in
    '') usage >&2; exit 2 ;;
    -h | --help) usage; exit 0 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1##*/}
case $1 in
    */*) RESULTS=${1%/*} ;;
    *) RESULTS=$here ;;
esac
shift
for library in "$here/llcbench.sh" "$here/../common/llcbench/llcbench.sh"; do
    [ ! -r "$library" ] || break
done
[ -r "$library" ] || { echo "make_graphs.sh: error: cannot read llcbench.sh" >&2; exit 2; }
# shellcheck source=frontends/common/llcbench/llcbench.sh
. "$library"

# curves TEST: FILE=TITLE of its data.
curves() {
    local file tasks
    for file in "$llc_results/${prefix}_$1.dat" "$llc_results/${prefix}_$1"-[0-9]*.dat; do
        if [ -f "$file" ]; then
            tasks=$(llc_field tasks "$file")
            [ "$1" = barrier ] && printf '%s=barrier\n' "$file" || printf '%s=%s, %s tasks\n' "$file" "$1" "$tasks"
        fi
    done
}

# script TEST CURVES..
script() {
    local test=$1 x='message size in bytes' unit settings=''
    shift
    unit=$(llc_field unit "${1%%=*}")
    case $test in
        latency) settings=$'set logscale y 2\nset key inside left top' ;;
        roundtrip) settings='set logscale y 2' ;;
        bandwidth) settings='set key inside left top' ;;
        barrier) x=tasks; settings=$'set yrange [0:]\nset key inside left top' ;;
    esac
    llc_write "$llc_results/${prefix}_$test.gp" < <(
        llc_plot "$llc_results/${prefix}_$test" "$test, $prefix" "$x" "$unit" "$settings" "$@")
}

read -r -a tests <<<"${*//,/ }"
for test in "${tests[@]}"; do
    case " ${all_tests[*]} " in
        *" $test "*) ;;
        *) llc_die "unknown test '$test' (${all_tests[*]})" ;;
    esac
done
[ ${#tests[@]} -gt 0 ] || tests=("${all_tests[@]}")
scripts=()
for test in "${tests[@]}"; do
    mapfile -t found < <(curves "$test")
    [ ${#found[@]} -gt 0 ] || continue
    script "$test" "${found[@]}"
    scripts+=("$llc_results/${prefix}_$test.gp")
done
[ ${#scripts[@]} -gt 0 ] || llc_die "there are no results of ${tests[*]} with the prefix $prefix in $llc_results"
llc_graph "${scripts[@]}"
exit "$llc_worst"
