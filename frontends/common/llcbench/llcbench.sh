# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Functions of mpbench-run, cachebench-run and blasbench-run: names, runs, archive, graphs. Source this file. Users can
# set the variables RESULTS (folder, default results) and STAMP (part of the file names, default none).

# With CDPATH set, cd may print the folder.
unset CDPATH

llc_os=$(uname -s)
llc_host=$(uname -n)
llc_host=${llc_host%%.*}
llc_results=${RESULTS:-results}
llc_worst=0
llc_temporaries=()

# The prefix of all result names of this machine: Linux-kiwi, Linux-kiwi-20260131T120000Z.
llc_prefix=$llc_os-$llc_host${STAMP:+-$STAMP}

llc_say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
llc_die() { llc_say "error: $*"; exit 2; }

# Removes temporary files when the script ends, even after a signal.
llc_clean() { [ ${#llc_temporaries[@]} -eq 0 ] || rm -f -- "${llc_temporaries[@]}"; }
trap llc_clean EXIT

# llc_keep FILES..: keeps these temporary files.
llc_keep() {
    local file kept=()
    for file in "${llc_temporaries[@]}"; do
        [[ " $* " == *" $file "* ]] || kept+=("$file")
    done
    llc_temporaries=("${kept[@]}")
}
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# llc_program VARIABLE NAME: prints the path of a program: the value of VARIABLE, or NAME in the folder of this script,
# or NAME in PATH.
llc_program() {
    local given=${!1:-} beside
    beside=$(cd "$(dirname "$0")" && pwd)/$2
    if [ -z "$given" ] && [ -x "$beside" ]; then
        given=$beside
    fi
    given=$(command -v "${given:-$2}") || llc_die "cannot find the program $2 (set $1)"
    printf '%s\n' "$given"
}

# llc_folder: creates the folder of the results.
llc_folder() { mkdir -p -- "$llc_results" || llc_die "cannot create the folder $llc_results"; }

# llc_name FAMILY TAG: path of a result without extension: results/Linux-kiwi_cache_read-double
llc_name() { printf '%s/%s_%s_%s' "$llc_results" "$llc_prefix" "$1" "$2"; }

# llc_run LABEL COMMAND..: runs the command and prints one line of progress. A failed run does not stop the script;
# llc_worst is the largest exit code.
llc_run() {
    local label=$1 code=0 from=$SECONDS
    shift
    printf '%s .. ' "$label"
    "$@" || code=$?
    if [ "$code" -eq 0 ]; then
        printf 'done, %d s\n' $((SECONDS - from))
    else
        printf 'failed with exit code %d, %d s\n' "$code" $((SECONDS - from))
    fi
    [ "$code" -le "$llc_worst" ] || llc_worst=$code
}

# llc_failed TEXT: reports an error that does not stop the script.
llc_failed() {
    llc_say "error: $*"
    [ "$llc_worst" -ge 1 ] || llc_worst=1
    return 1
}

# llc_write FILE < <(COMMAND): writes standard input to a file, which appears only when it is complete. Do not use it at
# the end of a pipe, where it would run in a subshell.
llc_write() {
    local part=$1.part
    llc_temporaries+=("$part")
    { cat >"$part" && mv -- "$part" "$1"; } || llc_failed "cannot write $1"
}

# llc_archive NAME FILES..: packs the existing files of this list, which are in the results' folder.
llc_archive() {
    local archive=$llc_results/$1 file
    local names=()
    shift
    for file; do
        [ ! -f "$file" ] || names+=("${file##*/}")
    done
    [ ${#names[@]} -gt 0 ] || llc_die "there are no results in $llc_results"
    llc_temporaries+=("$archive.part")
    if tar -C "$llc_results" -cf "$archive.part" -- "${names[@]}" && mv -- "$archive.part" "$archive"; then
        printf 'archive: %s\n' "$archive"
    else
        llc_failed "cannot write $archive"
    fi
}

# llc_field KEY FILE: prints the value of key=value in the head of a result, up to the next blank. Drops characters that
# gnuplot would interpret.
llc_field() { sed -n "s/^#.* $1=\([^ ]*\).*/\1/p" "$2" | head -n 1 | tr -d '`"\\'; }

# llc_cache_lines FILE: prints gnuplot commands for a vertical line at each cache size in the head of a result, up to
# the largest measured size.
llc_cache_lines() {
    local cache level size largest
    largest=$(grep '^[0-9]' "$1" | tail -n 1 | cut -d ' ' -f 1)
    for cache in $(llc_field caches "$1" | tr ',' ' '); do
        IFS=: read -r level size _ <<<"$cache"
        if [ "${size:-0}" -gt 0 ] && [ "$size" -le "${largest:-0}" ]; then
            printf 'set arrow from first %s, graph 0 to first %s, graph 1 nohead dashtype 2\n' "$size" "$size"
            printf 'set label "%s" at first %s, graph 0.97 right offset -0.5, 0\n' "$level" "$size"
        fi
    done
}

# llc_plot NAME TITLE XLABEL YLABEL SETTINGS CURVES..: prints a gnuplot script that makes NAME.ps, .svg and .png. A
# curve is FILE=TITLE or FILE=TITLE=COLUMNS (default 1:2); SETTINGS are gnuplot commands, "set logscale y 2".
llc_plot() {
    local name=$1 title=$2 x=$3 y=$4 settings=$5 curve file rest comma=''
    shift 5
    cat <<END
# For gnuplot, in the folder of the data: makes ${name##*/}.ps, .svg and .png
set title "$title" noenhanced
set xlabel "$x"
set ylabel "$y"
set logscale x 2
set format x "2^{%L}"
set grid
set style data linespoints
set key outside right noenhanced
set datafile missing "-"
$settings
set terminal postscript color
set output "${name##*/}.ps"
END
    printf 'plot '
    for curve; do
        file=${curve%%=*}
        rest=${curve#*=}
        printf '%s"%s" using %s title "%s"' "$comma" "${file##*/}" \
            "$([ "$rest" = "${rest#*=}" ] && printf 1:2 || printf '%s' "${rest#*=}")" "${rest%%=*}"
        comma=', \
     '
    done
    cat <<END

set terminal svg size 900,600
set output "${name##*/}.svg"
replot
if (strstrt(GPVAL_TERMINALS, "png") > 0) {
    set terminal png size 900,600
    set output "${name##*/}.png"
    replot
}
END
}

# llc_machines TAG TITLE XLABEL CURVES..: writes the script machines_TAG.gp for results of several machines, and adds it
# to the array scripts. Curves have the form of llc_plot. Without curves it does nothing.
llc_machines() {
    local tag=$1 title=$2 x=$3 unit curve
    shift 3
    [ $# -gt 0 ] || return 0
    unit=$(llc_field unit "${1%%=*}")
    for curve; do
        [ "$(llc_field unit "${curve%%=*}")" = "$unit" ] ||
            llc_die "the values of ${1%%=*} are in $unit, but the values of ${curve%%=*} are not"
    done
    llc_write "$llc_results/machines_$tag.gp" < <(
        llc_plot "$llc_results/machines_$tag" "$title, several machines" "$x" "$unit" '' "$@")
    scripts+=("$llc_results/machines_$tag.gp")
}

# llc_check_machines PATTERN PREFIX..: checks that each prefix has a file PREFIX_PATTERN.dat and is given only once.
llc_check_machines() {
    local pattern=$1 prefix seen=' '
    shift
    [ $# -gt 0 ] || llc_die 'no machines: give the prefixes of their files'
    for prefix; do
        [[ $seen != *" $prefix "* ]] || llc_die "the prefix '$prefix' is given twice"
        seen+="$prefix "
        compgen -G "$llc_results/${prefix}_$pattern.dat" >/dev/null ||
            llc_die "there are no results with the prefix '$prefix' in $llc_results"
    done
}

# llc_graph SCRIPT..: runs gnuplot on scripts in the folder of the results, or prints the commands for another machine.
llc_graph() {
    local script
    if ! command -v gnuplot >/dev/null; then
        printf 'gnuplot is not installed. On a machine with gnuplot, run in a copy of %s:\n' "$llc_results"
        for script; do
            printf '    gnuplot %s\n' "${script##*/}"
        done
        return 0
    fi
    for script; do
        if (cd "$llc_results" && gnuplot "${script##*/}"); then
            printf 'graph: %s/%s (.svg, .png)\n' "$llc_results" "$(sed -n 's/^set output "\(.*\.ps\)"/\1/p' "$script")"
        else
            llc_failed "gnuplot fails on $script"
        fi
    done
}
