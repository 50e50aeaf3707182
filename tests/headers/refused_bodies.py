#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Unsuitable bodies, makers and calls of `run` do not compile, and the first error is a message of the library.

usage: refused_bodies.py TOP MPI COMPILER [ARGUMENT...]     MPI: its name for pkg-config
"""
import subprocess
import sys

TOP, MPI, *COMPILER = sys.argv[1:]
FLAGS = subprocess.run(["pkg-config", "--cflags", MPI], check=True, text=True, stdout=subprocess.PIPE).stdout

BODY = "a body must return an MPI error code (int), a bool that is true on success, or void"
FINISH = ("a finish hook takes no arguments and must return an MPI error code (int), a bool that is true on success, "
          "or void")
ACCEPTED = "[] {}", "[] { return 0; }", "[](measure::Iteration) { return true; }", "[](auto& lap) { lap.mark(); }"
REFUSED = ("[] { return 0.5; }", "[] { return 1u; }", "[] { return sizeof(int); }", "[](measure::Iteration) { return 1L; }",
           "[](auto& lap) { return lap.marks(); }", "[] { return nullptr; }")


TAKES_POINT = "a maker takes the point: make(measure::Comm const&, measure::Point const&)"
MAKES_NOTHING = "a maker must return the operation or the body that it makes"
SWEEP = "(void)measure::sweep(comm, {}, {}, %s, {}, [](auto const&, auto const&) {});"
# A misspelt member of a plan is not listed: the compiler only says that no `run` accepts such a list.
MISUSES = ((SWEEP % "[](measure::Comm const&) { return [] {}; }", TAKES_POINT),
           (SWEEP % "[] {}", TAKES_POINT),
           (SWEEP % "[](measure::Point const&) {}", MAKES_NOTHING),
           (SWEEP % "[](measure::Comm const&, measure::Point const&) { return 3; }", MAKES_NOTHING),
           ("(void)measure::Benchmark{.name = \"x\", .make = [](measure::Comm const&) { return [] {}; }};", TAKES_POINT),
           ("(void)measure::run(comm, {}, [](measure::Comm const&) {});", MAKES_NOTHING),
           ("(void)measure::run(comm, {}, [](int) {});",
            "expected a body, which takes no arguments, a measure::Iteration"),
           ("(void)measure::op([](int) {});", "a body takes no arguments, a measure::Iteration"),
           ("(void)measure::run(MPI_COMM_WORLD, {}, [] {});", "measure::run takes a measure::Comm; create one"),
           ("(void)measure::run(comm, [] {});", "measure::run takes a plan before the body"),
           ("(void)measure::run(comm, {}, [] { return 0.5; });", BODY),
           ("(void)measure::run(comm, {}, [] { return measure::Point{}; });", BODY))


def said_of(statement):
    """Returns the compiler's output for a program with that statement; empty if it compiles."""
    text = f'#include "measure/sweep.hpp"\nvoid f(measure::Comm const& comm) {{ (void)comm; {statement} }}\n'
    done = subprocess.run([*COMPILER, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", f"-I{TOP}/libmeasure/include",
                           *FLAGS.split()], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout if done.returncode else ""


def faults():
    accepted = "".join(f"(void)measure::op({body}).finish([] {{ return {end}; }});"
                       for body, end in zip(ACCEPTED, ("0", "true", "MPI_SUCCESS", "false")))
    if said := said_of(accepted):
        yield f"refused: {accepted}: {said}"
    # All of them are in one program: each has its own error, which names the lambda in its line.
    said = said_of("\n".join(f"(void)measure::op({body});" for body in REFUSED))
    if said.count(BODY) < len(REFUSED):
        yield f"{said.count(BODY)} of {len(REFUSED)} bodies refused in our words: {said}"
    for statement, words in (("(void)measure::op([] {}).finish([] { return 0.5; });", FINISH),
                             ("(void)measure::op([] {}).finish([](int) {});", FINISH)):
        if words not in (said := said_of(statement)):
            yield f"not refused in our words: {statement}: {said}"
    for statement, words in MISUSES:
        said = said_of(statement)
        # Users with pages of messages read the first one.
        first = next((line for line in said.splitlines() if "error:" in line), "")
        if words not in first:
            yield f"the first error is not in our words: {statement}: {said}"


def main():
    found = list(faults())
    print("\n".join(found) or "what is wrong is refused")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
