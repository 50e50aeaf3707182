# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion of the programs of libmeasure. The tables are made of what the programs say with --help.

# @TABLES@

# Words of a list that go on as the one under the cursor does, in any letter case; of 'a,b,c' the last part.
_libmeasure_matching() {
    local word before='' current=$1
    shift
    case $current in *,*) before=${current%,*}, current=${current##*,} ;; esac
    for word in "$@"; do
        [[ $word == '<'* || ${word,,} != "${current,,}"* ]] || COMPREPLY+=("$before$word")
    done
}

# _libmeasure_files CURRENT KIND...: as compgen names them.
_libmeasure_files() {
    local current=$1
    shift
    compopt -o filenames 2>/dev/null  # fails where bash does not complete: in a test
    mapfile -t COMPREPLY < <(compgen "$@" -- "$current" | sort -u)
}

# _libmeasure_complete CURRENT WORD...: what the tables have, with files, folders and commands in their place.
_libmeasure_complete() {
    local current=$1
    shift
    case $1 in
        '<file>') _libmeasure_files "$current" -f ;;
        '<folder>') _libmeasure_files "$current" -d ;;
        '<command>') _libmeasure_files "$current" -c -f ;;
        *)
            _libmeasure_matching "$current" "$@"
            # Words or files: a file where no word begins so.
            if [ ${#COMPREPLY[@]} = 0 ] && [ "${*: -1}" = '<file>' ]; then
                _libmeasure_files "$current" -f
            fi
            ;;
    esac
}

_libmeasure() {
    local program=${1##*/} current=${COMP_WORDS[COMP_CWORD]} option='' word words i
    COMPREPLY=()
    # Of --option=value bash makes three words.
    if [ "$current" = = ]; then
        current='' option=${COMP_WORDS[COMP_CWORD - 1]}
    elif [ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -?* && ${COMP_WORDS[COMP_CWORD - 1]} != -- ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]}
    fi

    # measure launches, measure run: a command has options of its own, and what it starts is another command line.
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [ -n "$(_libmeasure_options "$program $word")" ]; then
            program="$program $word"
        elif [ "$(_libmeasure_arguments "$program")" = '<command>' ] && _libmeasure_is_argument "$program" "$i"; then
            _libmeasure_files "$current" -f
            return
        fi
    done

    if [ -n "$option" ]; then
        read -r -a words <<<"$(_libmeasure_values "$program $option")"
        if [ "${words[0]:-}" != '<none>' ]; then
            _libmeasure_complete "$current" "${words[@]}"
            return
        fi
    fi
    if [[ $current == -* ]]; then
        read -r -a words <<<"$(_libmeasure_options "$program")"
    else
        read -r -a words <<<"$(_libmeasure_arguments "$program")"
    fi
    _libmeasure_complete "$current" "${words[@]}"
}

# Whether the word with this number is neither an option nor what an option takes.
_libmeasure_is_argument() {
    local word=${COMP_WORDS[$2]} before=${COMP_WORDS[$2 - 1]}
    [[ $word != [-=]* && $before != = ]] || return 1
    [[ $before != -* || $before == -- ]] || [ "$(_libmeasure_values "$1 $before")" = '<none>' ]
}

complete -F _libmeasure @PROGRAMS@
