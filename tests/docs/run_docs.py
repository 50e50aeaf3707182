#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the code in the documentation: README.md, docs/*.md, READMEs of frontends and libmeasure, comments of headers.

Blocks fenced ```sh run in bash, in a copy of the source tree (one copy for each document), with the build's programs
and mpiexec in the PATH. The first command that fails fails the block. tools/demo, tools/check and .ci/run run with
--help only: they take minutes, and this test is a part of them. Files that a program keeps for its user go into the
copy. Blocks fenced ```sh mpich or ```sh openmpi show launcher options of that library and run only in its builds; ```sh
sqlite blocks run only in builds with archives.

Blocks fenced ```cpp with a main are compiled and linked with the library. Blocks that start with an #include are
compiled only, and so are those that use libmeasure/program, which is not installed. A block that is copied from an
example is compiled and run as part of the example, not here; a fragment must be such a copy. ```c and ```fortran blocks
are compiled, and linked if they have a main program. Build files of users are copies from tests/install, which builds
them; other blocks fenced ```meson are configured.

```text and ```console blocks are not run: they show what a user types after "$ " and a test cannot. No other fences are
allowed, and every block needs a fence. Code in a comment of a public header (an indented block) must be copied from an
example, except that "..." may stand for left-out lines.
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
# Other work on the machine may make all samples of a point invalid (exit code 4) and known waits too long (--check: 3).
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
    """Yields (line number, language, text) of each block. The language is None for code without a proper fence."""
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
    """Yields (line number, text) of each code block in a comment: all lines are indented, and it follows an empty
    line."""
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
    """Normalises white space, so that texts can be compared regardless of their indentation."""
    return " ".join(text.split())


def run(command, folder, environment, text=None):
    """Returns the output of a command that failed, otherwise None."""
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
        # The first path element holds the launcher of the build.
        programs = [arguments.build / "tools", arguments.build / "examples",
                    *sorted(path for path in arguments.build.glob("frontends/*") if path.is_dir())]
        # mpicc must belong to the MPI library of the build, too.
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
        self.seconds = []  # of each block, with its place
        self.flavour = "openmpi" if arguments.mpi == "ompi-c" else arguments.mpi
        # measure run finds the launcher itself, not the wrapper of the build, which lets root start Open MPI.
        self.environment = os.environ | {"PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
                                         "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def shell(self, text, folder):
        script = BUSY_MACHINE + self.before + LONG_COMMAND.sub(r"\1 --help", text)
        # The script is not passed on standard input: a launcher would read it, and the commands after it would never
        # run.
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
        """Compiles C and Fortran blocks. The C or Fortran compiler links them, as it does for users."""
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
        """Configures the project of a block, with this source tree as its subproject."""
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
        """Returns the code blocks of comments that are not copied from an example."""
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
