#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One-line scripts of users for the tables of the OSU Micro-Benchmarks and of IMB.

usage: scripts_test.py MEASURE_OSU MEASURE_IMB VALIDATE_RECORDS LAUNCHER YIELD_HELPER [UNITTEST OPTIONS]
"""
import re
import subprocess
import sys

import harness

NUMBER = r"[0-9]+\.[0-9]{2}"
LARGE = 4194304
# The command, the script that reads its standard output, and a pattern for the lines that the script prints.
SHELL = [
    (("osu_bw", f"{LARGE}:{LARGE}"), "tail -n 1 | awk '{print $2}'", NUMBER),
    (("osu_latency", "8:8"), "awk 'END{print $2}'", NUMBER),
    (("osu_latency", "8:16"), "awk '/^[0-9]/'", rf"8 +{NUMBER}\n16 +{NUMBER}"),
    (("osu_latency", "8:16"), "sed -n '/^8 /p'", rf"8 +{NUMBER}"),
    (("osu_allreduce", "8:16"), "grep -v '#' | awk 'NF'", rf"8 +{NUMBER}\n16 +{NUMBER}"),
    (("osu_mbw_mr", "8:8"), "awk '/^8 / {print $3}'", NUMBER),
    (("osu_latency", "8:8"), "sed -nE 's/^# OSU MPI.* v([0-9.]+)$/\\1/p'", r"7\.4"),
    (("IMB-MPI1", "PingPong"), "awk '$1==8 {print $3}'", NUMBER),
    (("IMB-MPI1", "Allreduce"), "awk '$1==8 {print $5}'", NUMBER),
    (("IMB-MPI1", "PingPong"), "grep -A3 '#bytes' | tail -n 1 | awk '{print $1, NF}'", r"2 4"),
]
# The command, the expression that a harness searches for line by line, and a pattern for its first group.
SEARCHES = [
    (("osu_latency", "8:8"), r"^# OSU MPI.* v([\d.]+)$", r"7\.4"),
    (("osu_latency", "8:8"), r"^8\s+(\S+)", NUMBER),
    (("osu_bw", f"{LARGE}:{LARGE}"), r"^4194304\s+(\S+)", NUMBER),
    (("osu_bw", f"{LARGE}:{LARGE}"), r"^(?P<size>[0-9]+) +(?P<value>[0-9.]+)", str(LARGE)),
    (("osu_allreduce", "8:8"), r"^(?P<size>[0-9]+) +(?P<value>[0-9.]+)", "8"),
    (("osu_barrier", None), r"^\s*(\d+\.\d+)\s*$", NUMBER),
    (("IMB-MPI1", "PingPong"), r"^\s+8\s+\d+\s+(\S+)", NUMBER),
    (("IMB-MPI1", "Allreduce"), r"^\s+8\s+\d+\s+\S+\s+\S+\s+(\S+)$", NUMBER),
]


class ScriptsTest(harness.ProgramTest):
    osu = None
    imb = None

    def output(self, name, what):
        program, words = self.osu, ("-i", 3, "-x", 1)
        if name.startswith("IMB"):
            program, words = self.imb, (what, "-iter", 3, "-msglog", "0:3")
        elif what:
            words += ("-m", what)
        process = self.launch(program, name, *words, record=False)
        out, err = process.communicate(timeout=harness.LIMIT)
        self.assertEqual(process.returncode, 0, err)
        return out

    @harness.not_quick
    def test_scripts_for_the_originals_can_read_the_tables(self):
        for run, script, expected in SHELL:
            with self.subTest(run, script=script):
                out = self.output(*run)
                found = subprocess.run(["sh", "-c", script], input=out, stdout=subprocess.PIPE, text=True,
                                       check=True).stdout
                self.assertRegex(found, rf"\A{expected}\n\Z", out)

    @harness.not_quick
    def test_harnesses_find_their_numbers_in_the_tables(self):
        for run, expression, expected in SEARCHES:
            with self.subTest(run, expression=expression):
                out = self.output(*run)
                found = re.search(expression, out, re.MULTILINE)
                self.assertIsNotNone(found, out)
                self.assertRegex(found[1], rf"\A{expected}\Z", out)


if __name__ == "__main__":
    ScriptsTest.osu, ScriptsTest.imb, validate, launcher, yield_helper, *options = sys.argv[1:]
    ScriptsTest.tools(validate, launcher, yield_helper)
    harness.main(options)
