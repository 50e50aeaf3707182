#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs what the documentation shows: README.md, docs/*.md, READMEs of frontends and libmeasure, comments of headers.

A block fenced ```sh is run by bash in a copy of the source tree, one copy for each document, with the programs of the
build and their mpiexec in the PATH; the first command that fails fails the block. tools/demo, tools/check and .ci/run
are run with --help only: they take minutes, and this is a part of them. What a program keeps for its user goes into the
copy. One fenced ```sh mpich or ```sh openmpi shows options of that library's launcher and is run where the build has
that; ```sh sqlite, where it has archives. A block fenced ```cpp that has a main is compiled and linked with the
library; another that starts with an #include is compiled without linking, and so is one that uses libmeasure/program,
which is not installed. What stands in an example word by word is compiled and run there and not once more; a fragment
must. Blocks fenced ```c and ```fortran are compiled, and linked where they have a main program. A file of a user's
build stands in tests/install, which builds it; another one fenced ```meson is configured.

Shown and not run are ```text and ```console: what a user types, after "$ ", and a test cannot. There is no other fence,
and no block without one. What is code in a comment of a public header, an indented block, stands in an example word by
word, but for what lines of "..." leave out.
"""
import argparse
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

STRAY_FENCE = re.compile(r"\s+(```|~~~)|~~~|.*<(pre|code)\b")
LIST_ITEM = re.compile(r"([-*+]|\d+\.) ")
COMMENT = re.compile(r"\s*(?:///|/\*\*| \*|!)(?: |$)(.*)$")
CODE = re.compile(r"([]})]|= \S+);$|[{}]$|^\s*#include\b", re.MULTILINE)
OTHER_CODE = re.compile(r"```|[@\\]code\b")
LEFT_OUT = re.compile(r"^\s*\.\.\.$", re.MULTILINE)
LONG_COMMAND = re.compile(r"^(tools/demo|tools/check|\.ci/run)\b.*$", re.MULTILINE)
# What else runs on the machine may make all samples of a point invalid (exit code 4) and makes known waits longer
# (--check: 3).
BUSY_MACHINE = """mpiexec() {
    local code=0
    command mpiexec "$@" || code=$?
    case "$code $*" in 4\\ * | 3\\ *\\ --check) return 0 ;; *) return $code ;; esac
}
measure() {
    local code=0
    command measure "$@" || code=$?
    case "$code $1" in 4\\ run | 4\\ ab) return 0 ;; *) return $code ;; esac
}
"""
NOT_SOURCES = shutil.ignore_patterns(".git", "build", "build-*", "demo-results")
SECONDS_PER_BLOCK = 300


def documents(top):
    return [top / "README.md", *sorted(top.glob("docs/**/*.md")), *sorted(top.glob("frontends/*/*.md")),
            *sorted(top.glob("libmeasure/*/README.md"))]


def public_sources(top):
    return [*sorted(top.glob("libmeasure/include/**/*.h*")), *sorted(top.glob("frontends/*/include/**/*.h*")),
            *sorted(top.glob("libmeasure/fortran/*.f90"))]


def blocks(path):
    """(line number, language, text) of each block; the language of what looks like one and has no fence is None."""
    language, text, begin = None, [], 0
    before, in_list = "", False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if begin:
            if line == "```":
                yield begin, language, "".join(text)
                begin = 0
            else:
                text.append(line + "\n")
        elif line.startswith("```"):
            language, text, begin = line[3:], [], number
        elif STRAY_FENCE.match(line) or (line.startswith("    ") and not before.strip() and not in_list):
            yield number, None, line + "\n"
        elif line.strip() and not line.startswith(" "):
            in_list = bool(LIST_ITEM.match(line))
        before = line
    if begin:
        yield begin, None, "".join(text)


def comment_blocks(path):
    """(line number, text) of each block in a comment that is code: indented, after an empty line, as all of it is."""
    text, begin, before = [], 0, "-"
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        comment = COMMENT.match(line)
        words_of = comment[1] if comment else "-"
        if words_of.startswith("    ") and (begin or not before):
            begin = begin or number
            text.append(words_of.strip())
        elif OTHER_CODE.search(words_of):
            yield number, words_of
        elif begin and words_of:
            if CODE.search("\n".join(text)):
                yield begin, "\n".join(text)
            text, begin = [], 0
        before = words_of


def words(text):
    """A text without the differences that indentation makes."""
    return " ".join(text.split())


def run(command, folder, environment, text=None):
    """The output of a command that failed, or None."""
    try:
        done = subprocess.run(command, cwd=folder, env=environment, input=text, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS_PER_BLOCK)
    except subprocess.TimeoutExpired as error:
        return f"no end after {error.timeout} s"
    return done.stdout if done.returncode else None


class Runner:
    def __init__(self, arguments):
        self.top = arguments.top
        self.compiler = arguments.compiler
        library = self.library = arguments.build / "libmeasure"
        self.link = ["-x", "none", f"-L{library}", f"-L{library}/analysis", f"-L{library}/regions", "-lmeasure_regions", "-lmeasure",
                     "-lmeasure_analysis", f"-Wl,-rpath,{library}:{library}/regions"]
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", arguments.mpi], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
        self.mpi_flags = flags.replace("-I", "-isystem").split()
        # The first path element holds the launcher that belongs to the build.
        programs = [arguments.build / "tools", arguments.build / "examples",
                    *sorted(path for path in arguments.build.glob("frontends/*") if path.is_dir())]
        # mpicc is the one that belongs to the build, too.
        compiler = "mpicc.openmpi" if arguments.mpi == "ompi-c" else "mpicc.mpich"
        self.fortran_compiler = compiler.replace("mpicc", "mpifort")
        self.before = f'mpicc() {{ {compiler} "$@"; }}\n' if shutil.which(compiler) else ""
        self.runners = {"sh": self.shell, "sh mpich": self.shell if arguments.mpi == "mpich" else self.shown,
                        "sh openmpi": self.shell if arguments.mpi == "ompi-c" else self.shown,
                        "sh sqlite": self.shell if arguments.archives else self.shown,
                        "cpp": self.cpp, "c": self.c, "fortran": self.fortran, "meson": self.meson,
                        "c++": self.installed, "bash": self.installed, "cmake": self.installed,
                        "text": self.shown, "console": self.console}
        self.examples = [words(path.read_text(encoding="utf-8")) for path in sorted(self.top.glob("examples/**/*.*"))]
        self.builds = [words(path.read_text(encoding="utf-8"))
                       for path in sorted(self.top.glob("tests/install/**/*.*")) if path.suffix != ".py"]
        self.seconds = []  # of each block, and where it stands
        self.flavour = "openmpi" if arguments.mpi == "ompi-c" else arguments.mpi
        # measure run finds the launcher itself, not the build's, which allows Open MPI to be started by root.
        self.environment = os.environ | {"PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
                                         "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def shell(self, text, folder):
        script = BUSY_MACHINE + self.before + LONG_COMMAND.sub(r"\1 --help", text)
        # Not by standard input: a launcher reads that, and the commands after it would never run.
        return run(["bash", "-euo", "pipefail", "-c", script], folder,
                   self.environment | {"XDG_DATA_HOME": str(folder / "data")}, "")

    def cpp(self, text, folder):
        if any(words(text) in example for example in self.examples):
            return None
        command = [*self.compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-",
                   f"-I{self.top / 'libmeasure/include'}", f"-I{self.top / 'libmeasure/program/include'}"]
        if '#include "program/' in text:
            return run([*command, f"-I{self.top / 'libmeasure'}", "-fsyntax-only", *self.mpi_flags], folder,
                       self.environment, text)
        if re.search(r"\bint main\b", text):
            return run([*command, "-o", "shown_program", *self.link, *self.mpi_flags], folder, self.environment, text)
        if text.startswith("#include"):
            return run([*command, "-fsyntax-only", *self.mpi_flags], folder, self.environment, text)
        return "this fragment stands in no example"

    def foreign(self, command, options, is_program, text, folder):
        """What is not C++; linked by the C or Fortran compiler, as a user does."""
        end = ["-o", "shown_program", *self.link] if is_program else ["-fsyntax-only"]
        return run([*command, *options, "-Wall", "-Wextra", "-Werror", *end, *self.mpi_flags], folder, self.environment,
                   text)

    def c(self, text, folder):
        options = ["-std=c99", "-Wpedantic", "-Wstrict-prototypes", "-x", "c", "-", f"-I{self.top / 'libmeasure/include'}"]
        return self.foreign(["cc"], options, re.search(r"\bint main\b", text), text, folder)

    def fortran(self, text, folder):
        wrapper = shutil.which(self.fortran_compiler)
        if wrapper is None:
            return None
        module = self.library / "fortran/libmeasure.f90"
        options = ["-std=f2008", "-x", "f95", "-ffree-form", module, "-"]
        return self.foreign([wrapper], options, re.search(r"^program\b", text, re.MULTILINE), text, folder)

    def shown(self, text, folder):
        return None

    def console(self, text, folder):
        return None if text.startswith("$ ") else "a console shows what is typed after '$ '"

    def installed(self, text, folder):
        return None if any(words(text) in file for file in self.builds) else "this stands in no file of tests/install"

    def meson(self, text, folder):
        """Configures a project that is shown, with these sources as its subproject."""
        if self.installed(text, folder) is None:
            return None
        project = folder / "shown_project"
        (project / "subprojects").mkdir(parents=True)
        (project / "subprojects/libmeasure").symlink_to(self.top)
        (project / "meson.build").write_text(text, encoding="utf-8")
        for source in re.findall(r"'(\w+\.c\w*)'", text):
            (project / source).touch()
        return run(["meson", "setup", f"-Dlibmeasure:mpi={self.flavour}", "build"], project, self.environment)

    def faults_of_comments(self, source):
        """What is shown in comments and stands in no example."""
        for line, text in comment_blocks(source):
            parts = [words(part) for part in LEFT_OUT.split(text)]
            if not any(all(part in example for part in parts) for example in self.examples):
                yield f"{source.relative_to(self.top)}:{line}: this stands in no example:\n{text}\n"

    def faults(self, document):
        """Runs the blocks of one document in a fresh copy of the sources."""
        with tempfile.TemporaryDirectory(prefix="libmeasure-docs-") as scratch:
            copy = pathlib.Path(scratch) / self.top.name
            shutil.copytree(self.top, copy, symlinks=True, ignore=NOT_SOURCES)
            for line, language, text in blocks(document):
                run_block = self.runners.get(language)
                begin = time.monotonic()
                fault = run_block(text, copy) if run_block else f"a block begins with ``` and one of {[*self.runners]}"
                self.seconds.append((time.monotonic() - begin, f"{document.relative_to(self.top)}:{line}"))
                if fault is not None:
                    yield f"{document.relative_to(self.top)}:{line}: this block fails:\n{text}--- output\n{fault}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--top", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", required=True, help="name of the MPI library for pkg-config")
    parser.add_argument("--archives", action="store_true", help="the build has archives")
    parser.add_argument("compiler", nargs="+")
    runner = Runner(parser.parse_args())
    failed = 0
    for fault in itertools.chain(*map(runner.faults_of_comments, public_sources(runner.top)),
                                 *map(runner.faults, documents(runner.top))):
        failed += 1
        print(fault)
    slowest = sorted(runner.seconds, reverse=True)[:10]
    print("slowest: " + ", ".join(f"{block} {seconds:.0f} s" for seconds, block in slowest))
    print("every block works" if failed == 0 else f"{failed} blocks fail")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
