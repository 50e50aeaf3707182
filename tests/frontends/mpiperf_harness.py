# SPDX-License-Identifier: BSD-3-Clause
"""Shared code of mpiperf's test files. Their first arguments are always MPIPERF VALIDATE_RECORDS LAUNCHER YIELD_HELPER
[UNITTEST OPTIONS]"""
import functools
import math
import pathlib
import subprocess
import sys

import harness
from harness import LIMIT

MPIPERF = str(pathlib.Path(sys.argv[1]).resolve())
harness.ProgramTest.tools(*sys.argv[2:5])
COLUMNS = "Procs Count TRuns CRuns FRuns Mean RSE StdErr Min Max Err CI_LB CI_UB RelErr".split()


@functools.cache
def counter():
    """Returns ("tsc",) if the processor has a cycle counter of constant rate, otherwise (). Some virtual machines hide
    it."""
    ended = subprocess.run([MPIPERF, "-t", "tsc", "-j"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=LIMIT)
    missing = "timer 'tsc' is not available" in ended.stderr
    if missing != (ended.returncode == 2):
        raise AssertionError(f"mpiperf -t tsc -j ends with {ended.returncode}:\n{ended.stderr}")
    return () if missing else ("tsc",)


class Ended(harness.Ended):
    """A finished run, with its text taken apart."""

    def __init__(self, code, out, err, record):
        super().__init__(code, out, err, record)
        self.header = [line for line in out.splitlines() if line.startswith("#")]
        self.rows = [line.split() for line in out.splitlines() if line and not line.startswith("#")]

    @property
    def numbers(self):
        """The points that have a value."""
        return [point for point in self.points if point["value"] is not None]

    @property
    def table(self):
        return [dict(zip(COLUMNS, (math.nan if cell == "-" else float(cell) for cell in row))) for row in self.rows]


class Mpiperf(harness.ProgramTest):
    """A base class of mpiperf tests. It contains no test cases, so that test files can import it."""

    def start(self, *arguments, **keywords):
        return self.launch(MPIPERF, *arguments, **keywords)

    def finished(self, process, limit=LIMIT):
        out, err = process.communicate(timeout=limit)
        return Ended(process.returncode, out, err, self.json)

    def run_it(self, *arguments, limit=LIMIT, **keywords):
        return self.finished(self.start(*arguments, **keywords), limit)

    def measure(self, *arguments, **keywords):
        """Runs mpiperf; it must succeed and leave a valid record. Other work on the machine may make all samples of a
        point with slots invalid: then the run must say so."""
        # A repeated point would be last.
        again = () if "--retry" in arguments else ("--retry", 0)
        ended = self.run_it(*again, *arguments, **keywords)
        lost = [point for point in ended.points if point["status"] == "no_valid_samples"]
        self.assertEqual((ended.code, ended.end["status"]), (4 if lost else 0, "complete"), ended.err)
        self.assertEqual(lost, [point for point in ended.points if point["value"] is None])
        if "barrier" in arguments:
            self.assertEqual(lost, [], "a barrier start invalidates no sample")
        self.assert_valid(ended)
        return ended

    def assert_usage(self, *arguments, names=(), ranks=2, place="mpiperf: error: ", **keywords):
        """The run must exit with code 2 and exactly one error line."""
        ended = self.run_it(*arguments, ranks=ranks, record=False, **keywords)
        self.assertEqual(ended.code, 2, (arguments, ended.err))
        self.assertEqual(len(ended.err), 1, ended.err)
        self.assertIn(place, ended.err[0])
        for name in names:
            self.assertIn(name, ended.err[0])
