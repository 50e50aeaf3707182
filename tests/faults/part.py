# SPDX-License-Identifier: BSD-3-Clause
"""A case is one experiment. Each failed expectation is counted in the column that describes it."""
import pathlib
import tempfile
import time
import traceback

import runs

COLUMNS = ("hangs", "crashes", "wrong codes", "wrong words", "lost data", "left files", "left processes")


class Skipped(Exception):
    """The case cannot run on this machine or as this user."""


class Case:
    def __init__(self, name):
        self.name = name
        self.faults = []  # (column, text)
        self.skipped = ""
        self.seconds = 0

    def expect(self, column, holds, text):
        if not holds:
            self.faults.append((column, text))
        return holds

    def watch(self, command, folder, limit=runs.LIMIT, **words):
        """Runs a command until it ends."""
        return self.ended(runs.Started(command, folder, **words), limit)

    def ended(self, started, limit=runs.LIMIT, killed=False):
        """Checks what holds for every run. \\param killed  the launcher may report what happened to a rank"""
        run = started.end(limit)
        self.expect("hangs", not run.hung, run.hung)
        self.expect("left processes", not run.left, f"{run.left}")
        if not killed and not run.hung:
            self.expect("crashes", run.code not in runs.CRASHES, f"exit code {run.code}: {run.lines[-3:]}")
            noise = runs.NOISE.search(run.err)
            self.expect("wrong words" if run.code not in runs.CRASHES else "crashes", not noise,
                        f"{noise and noise[0]}: {run.lines[:5]}")
        return run

    def try_it(self, place=None):
        """Runs the case in a folder of its own."""
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(dir=place, ignore_cleanup_errors=True) as folder:
            try:
                self.run(pathlib.Path(folder).resolve())
            except Skipped as why:
                self.skipped = str(why)
            except Exception:
                self.faults.append(("wrong codes", "the driver: " + traceback.format_exc()))
        self.seconds = time.monotonic() - begun
        return self

    def run(self, folder):
        raise NotImplementedError
