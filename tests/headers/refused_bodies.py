#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What is no body does not compile, and the compiler says why in the library's words.

usage: refused_bodies.py TOP MPI COMPILER [ARGUMENT...]     MPI: its name for pkg-config
"""
import subprocess
import sys

TOP, MPI, *COMPILER = sys.argv[1:]
FLAGS = subprocess.run(["pkg-config", "--cflags", MPI], check=True, text=True, stdout=subprocess.PIPE).stdout

BODY = "a body returns MPI's code as an int, or a bool that is true for success, or void"
FINISH = "a finish hook takes nothing, and returns MPI's code as an int, or a bool that is true for success, or void"
ACCEPTED = "[] {}", "[] { return 0; }", "[](measure::Iteration) { return true; }", "[](auto& lap) { lap.mark(); }"
REFUSED = ("[] { return 0.5; }", "[] { return 1u; }", "[] { return sizeof(int); }", "[](measure::Iteration) { return 1L; }",
           "[](auto& lap) { return lap.marks(); }", "[] { return nullptr; }")


def said_of(statement):
    """What the compiler says of a program with that statement; empty where it compiles."""
    text = f'#include "measure/run.hpp"\nvoid f(measure::Comm const& comm) {{ {statement} }}\n'
    done = subprocess.run([*COMPILER, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", f"-I{TOP}/libmeasure/include",
                           *FLAGS.split()], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout if done.returncode else ""


def faults():
    accepted = "".join(f"(void)measure::op({body}).finish([] {{ return {end}; }});"
                       for body, end in zip(ACCEPTED, ("0", "true", "MPI_SUCCESS", "false")))
    if said := said_of(accepted):
        yield f"refused: {accepted}: {said}"
    # One program for all of them: each has an error of its own, which names its line's lambda.
    said = said_of("\n".join(f"(void)measure::op({body});" for body in REFUSED))
    if said.count(BODY) < len(REFUSED):
        yield f"{said.count(BODY)} of {len(REFUSED)} bodies refused in our words: {said}"
    for statement, words in (("(void)measure::op([] {}).finish([] { return 0.5; });", FINISH),
                             ("(void)measure::op([] {}).finish([](int) {});", FINISH),
                             ("(void)measure::run(comm, {}, [] { return 0.5; });", BODY)):
        if words not in (said := said_of(statement)):
            yield f"not refused in our words: {statement}: {said}"


def main():
    found = list(faults())
    print("\n".join(found) or "what is no body is refused")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
