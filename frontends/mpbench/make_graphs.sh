#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Plots results of mpbench-run: one graph for each test, from the files PREFIX_TEST.dat and PREFIX_TEST-TASKS.dat of one
# or several machines.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -uo pipefail
unset CDPATH

all_tests=(barrier latency roundtrip bandwidth broadcast reduce allreduce bibw alltoall isend irecv irsend)

usage() {
    cat <<'END'
usage: make_graphs.sh PREFIX[,PREFIX..] [TEST,.. | TEST..]

PREFIX  common start of the names of the data files, such as results/Linux-kiwi_mpi; default folder: that of this
        script. With several machines, whose files must be in one folder, each graph machines_TEST shows the curves of
        all machines, labelled with their prefixes
TEST    barrier, latency, roundtrip, bandwidth, broadcast, reduce, allreduce, bibw, alltoall, isend, irecv, irsend
        (default: all tests with results)
END
}

case ${1:-} in
    '') usage >&2; exit 2 ;;
    -h | --help) usage; exit 0 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
IFS=, read -r -a prefixes <<<"$1"
shift
RESULTS=
for i in "${!prefixes[@]}"; do
    case ${prefixes[i]} in
        */*) folder=${prefixes[i]%/*} ;;
        *) folder=${RESULTS:-$here} ;;
    esac
    if [ -n "$RESULTS" ] && [ "$folder" != "$RESULTS" ]; then
        echo "make_graphs.sh: error: $folder and $RESULTS are different folders; copy the data into one" >&2
        exit 2
    fi
    RESULTS=$folder
    prefixes[i]=${prefixes[i]##*/}
done
for library in "$here/llcbench.sh" "$here/../common/llcbench/llcbench.sh"; do
    [ ! -r "$library" ] || break
done
[ -r "$library" ] || { echo "make_graphs.sh: error: cannot read llcbench.sh" >&2; exit 2; }
# shellcheck source=frontends/common/llcbench/llcbench.sh
. "$library"

[ ${#prefixes[@]} -eq 1 ] || llc_check_machines '*' "${prefixes[@]}"

several=
[ ${#prefixes[@]} -eq 1 ] || several=yes
name=${several:+machines}
name=${name:-${prefixes[0]}}

# curves TEST: prints FILE=TITLE for each data file. The title names the test, or the machine if there are several.
curves() {
    local prefix file title
    for prefix in "${prefixes[@]}"; do
        title=${several:+$prefix}
        title=${title:-$1}
        for file in "$llc_results/${prefix}_$1.dat" "$llc_results/${prefix}_$1"-[0-9]*.dat; do
            [ -f "$file" ] || continue
            [ "$1" = barrier ] || title="${title%%, *}, $(llc_field tasks "$file") tasks"
            printf '%s=%s\n' "$file" "$title"
        done
    done
}

# script TEST CURVES..
script() {
    local test=$1 x='message size in bytes' unit settings='' curve
    shift
    unit=$(llc_field unit "${1%%=*}")
    for curve; do
        [ "$(llc_field unit "${curve%%=*}")" = "$unit" ] ||
            llc_die "the values of ${1%%=*} are in $unit, but the values of ${curve%%=*} are not"
    done
    case $test in
        latency) settings=$'set logscale y 2\nset key inside left top' ;;
        roundtrip) settings='set logscale y 2' ;;
        bandwidth) settings='set key inside left top' ;;
        barrier) x=tasks; settings=$'set yrange [0:]\nset key inside left top' ;;
    esac
    llc_write "$llc_results/${name}_$test.gp" < <(
        llc_plot "$llc_results/${name}_$test" "$test, ${several:+several }$name" "$x" "$unit" "$settings" "$@")
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
    scripts+=("$llc_results/${name}_$test.gp")
done
[ ${#scripts[@]} -gt 0 ] || llc_die "there are no results of ${tests[*]} with the prefix ${prefixes[*]} in $llc_results"
llc_graph "${scripts[@]}"
exit "$llc_worst"
