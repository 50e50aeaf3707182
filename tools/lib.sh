# SPDX-License-Identifier: BSD-3-Clause
# Sourced by tools/demo and tools/check: packages, build folders, messages on stderr.
# shellcheck shell=bash

top=$(CDPATH='' cd -- "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
me=tools/$(basename "$0")
install=yes  # --no-install sets it to no

say() { printf '%s: %s\n' "$me" "$*" >&2; }
fail() {
    say "error: $*"
    exit 1
}
usage_error() {
    printf '%s: error: %s\n' "$me" "$* (see $me --help)" >&2
    exit 2
}

# The name of this system in tools/packages.
system_name() {
    local ID='' ID_LIKE=''
    if [ "$(uname -s)" = Darwin ]; then
        echo homebrew
        return
    fi
    # shellcheck disable=SC1091
    [ -r /etc/os-release ] && . /etc/os-release
    case " $ID $ID_LIKE " in
        *" debian "* | *" ubuntu "*) echo debian ;;
        *" fedora "* | *" rhel "*) echo fedora ;;
        *" arch "*) echo arch ;;
        *) echo spack ;;
    esac
}

# The code name of a Debian or Ubuntu release, such as bookworm.
release_name() {
    local VERSION_CODENAME=''
    # shellcheck disable=SC1091
    [ -r /etc/os-release ] && . /etc/os-release
    echo "${VERSION_CODENAME:-unknown}"
}

# packages SYSTEM GROUP: prints the names of one line of tools/packages.
packages() { sed -n "s/^$1 $2: *//p" "$top/tools/packages"; }

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Does not pipe into grep -q: under pipefail, apt-cache would fail when grep closes the pipe early.
has_candidate() {
    local policy
    policy=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null)
    [[ $policy =~ Candidate:\ [^\(] ]]
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

apt_update() {
    say "updating the package index"
    as_root apt-get update -qq
}

apt_install() { as_root apt-get install -y -qq --no-install-recommends "$@" </dev/null >&2; }

# install_packages GROUP...: installs the missing packages of these groups, after printing their names.
install_packages() {
    local system release group package missing=() known=()
    system=$(system_name)
    release=$(release_name)
    if [ "$system" != debian ]; then
        say "packages are only installed on Debian and Ubuntu; this system ($system) needs:"
        for group in "$@"; do packages "$system" "$group" >&2; done
        return 0
    fi
    for group in "$@"; do
        for package in $(packages debian "$group") $(packages "$release" "$group"); do
            is_installed "$package" || missing+=("$package")
        done
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$install" = no ]; then
        say "continuing without these packages, which are not installed: ${missing[*]}"
        return 0
    fi
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        fail "cannot install packages without root or sudo; as root, run: apt-get install ${missing[*]}"

    for package in "${missing[@]}"; do
        has_candidate "$package" || { apt_update; break; }
    done
    for package in "${missing[@]}"; do
        if has_candidate "$package"; then
            known+=("$package")
        else
            say "skipping a package that this system does not have: $package"
        fi
    done
    [ ${#known[@]} -gt 0 ] || return 0
    say "installing with apt-get: ${known[*]}"
    # A stale index may name files that no longer exist, so retries with a fresh index.
    apt_install "${known[@]}" || { apt_update && apt_install "${known[@]}"; } || fail "the installation failed"
}

# configure FOLDER OPTION...: sets up a build folder, or reconfigures an existing one with these options.
configure() {
    local folder=$1
    shift
    if [ -e "$folder/build.ninja" ]; then
        meson setup --reconfigure "$folder" "$@" || meson setup --wipe "$folder" "$@"
    else
        meson setup "$folder" "$@"
    fi
}

cores() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN; }
