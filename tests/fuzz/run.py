#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fuzzes one parser with libFuzzer: runs a target on its corpus in a temporary folder.

usage: run.py TARGET CORPUS [SECONDS]

The default of SECONDS is the environment variable FUZZ_SECONDS, or 10 if it is not set. A failing input is printed as
base64, with the command that reproduces the failure.
"""
import base64
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# -timeout is elapsed time, which other processes on the machine affect. The target has its own limit of processor time.
OPTIONS = ["-seed=1", "-max_len=4096", "-rss_limit_mb=2048", "-timeout=30", "-print_final_stats=1", "-verbosity=0"]
# The same setting as in the tests.
SANITIZERS = {"UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


def fuzz(program, corpus, seconds):
    """\\return whether no input failed"""
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        grown = folder / "corpus"
        shutil.copytree(corpus, grown)
        found = folder / "found"
        found.mkdir()
        process = subprocess.run(
            [program, *OPTIONS, f"-max_total_time={seconds}", f"-artifact_prefix={found}/", grown],
            cwd=folder, env=SANITIZERS | os.environ, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        log = process.stderr.decode(errors="replace")
        runs = [line.split()[-1] for line in log.splitlines() if "number_of_executed_units" in line]
        for file in sorted(found.iterdir()):
            text = base64.b64encode(file.read_bytes()).decode()
            log += (f"\n{file.name.split('-')[0]}: to reproduce:\n"
                    f"  echo {text} | base64 -d > input && UBSAN_OPTIONS={SANITIZERS['UBSAN_OPTIONS']} {program} input\n")
        if process.returncode != 0 or not runs:
            print(log)
            return False
        print(f"{runs[0]} inputs, {len(list(grown.iterdir()))} kept")
        return True


def main():
    program, corpus = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    seconds = int(sys.argv[3] if len(sys.argv) > 3 else os.environ.get("FUZZ_SECONDS", "10"))
    sys.exit(not fuzz(program, corpus, seconds))


if __name__ == "__main__":
    main()
