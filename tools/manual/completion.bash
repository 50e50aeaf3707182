# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Completion for the programs of libmeasure. The tables are made from the --help output of the programs.

# @TABLES@

# _libmeasure_matching CURRENT WORD...: adds the words that start like CURRENT, in any letter case. In 'a,b,c' completes
# the last part.
_libmeasure_matching() {
    local word before='' current=$1
    shift
    case $current in *,*) before=${current%,*}, current=${current##*,} ;; esac
    for word in "$@"; do
        [[ $word == '<'* || ${word,,} != "${current,,}"* ]] || COMPREPLY+=("$before$word")
    done
}

# _libmeasure_files CURRENT KIND...: completes files; KIND is an option of compgen.
_libmeasure_files() {
    local current=$1
    shift
    compopt -o filenames 2>/dev/null  # fails outside of completion, as in a test
    mapfile -t COMPREPLY < <(compgen "$@" -- "$current" | sort -u)
}

# _libmeasure_complete CURRENT WORD...: completes the words of a table entry, which may stand for files, folders or
# commands.
_libmeasure_complete() {
    local current=$1
    shift
    case $1 in
        '<file>') _libmeasure_files "$current" -f ;;
        '<folder>') _libmeasure_files "$current" -d ;;
        '<command>') _libmeasure_files "$current" -c -f ;;
        *)
            _libmeasure_matching "$current" "$@"
            # Words or files: completes files if no word matches.
            if [ ${#COMPREPLY[@]} = 0 ] && [ "${*: -1}" = '<file>' ]; then
                _libmeasure_files "$current" -f
            fi
            ;;
    esac
}

_libmeasure() {
    local program=${1##*/} current=${COMP_WORDS[COMP_CWORD]} option='' word words i
    COMPREPLY=()
    # Bash splits --option=value into three words.
    if [ "$current" = = ]; then
        current='' option=${COMP_WORDS[COMP_CWORD - 1]}
    elif [ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -?* && ${COMP_WORDS[COMP_CWORD - 1]} != -- ]]; then
        option=${COMP_WORDS[COMP_CWORD - 1]}
    fi

    # measure launches, measure run: a command has its own options, and the program that it starts has its own command
    # line.
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

# Whether the word with this number is neither an option nor the value of an option.
_libmeasure_is_argument() {
    local word=${COMP_WORDS[$2]} before=${COMP_WORDS[$2 - 1]}
    [[ $word != [-=]* && $before != = ]] || return 1
    [[ $before != -* || $before == -- ]] || [ "$(_libmeasure_values "$1 $before")" = '<none>' ]
}

complete -F _libmeasure @PROGRAMS@
