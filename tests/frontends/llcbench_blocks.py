# SPDX-License-Identifier: BSD-3-Clause
"""Reads the output of cachebench, blasbench and mpbench, and runs their tests."""
import re
import subprocess

import harness
from harness import LIMIT


class Block:
    """The output of one test, or of one routine of one library."""

    def __init__(self, text):
        lines = text.splitlines()
        self.comments = [line for line in lines if line.startswith("#")]
        self.head = "\n".join(self.comments)
        columns = re.search(r"^# columns: (.*)$", self.head, re.MULTILINE)
        self.columns = columns[1].split() if columns else ["size", "value"]
        self.rows = [dict(zip(self.columns, line.split())) for line in lines if line and not line.startswith("#")]

    def field(self, key):
        """Returns the value of key=value in the head, up to the next blank."""
        return re.search(rf"(?m)^# (?:.* )?{key}=(\S+)", self.head)[1]

    @property
    def name(self):
        return self.field("test")

    @property
    def unit(self):
        return self.field("unit")

    def sizes(self):
        """The first column: bytes, dimensions or tasks."""
        return [int(row[self.columns[0]]) for row in self.rows]

    def values(self, column=None):
        return [float(row[column or self.columns[1]]) for row in self.rows]

    def calls(self):
        return [int(row["iterations"]) for row in self.rows]


def blocks(text):
    return [Block(part) for part in text.split("\n\n\n")]


class BlockTest(harness.ProgramTest):
    """Tests of one program, which runs in the test's folder."""
    program = None
    ranks = 0  # 0: without launcher

    def run_it(self, *arguments, code=0, record=True, limit=LIMIT, program=None, ranks=None, **keywords):
        self.json.unlink(missing_ok=True)
        process = self.launch(program or self.program, *arguments, ranks=self.ranks if ranks is None else ranks,
                              record=record, cwd=self.folder, **keywords)
        out, err = process.communicate(timeout=limit)
        ended = harness.Ended(process.returncode, out, err, self.json)
        self.assertEqual(ended.code, code, (arguments, err))
        return ended

    def measure(self, *arguments, **keywords):
        """Returns the blocks of a run by name."""
        return {block.name: block for block in blocks(self.run_it(*arguments, **keywords).out)}

    def block(self, *arguments, **keywords):
        """Returns the only block of a run."""
        found, = blocks(self.run_it(*arguments, **keywords).out)
        return found

    def on_terminal(self, *arguments):
        """Returns what a terminal shows."""
        command = " ".join([self.program, *map(str, arguments)])
        shown = subprocess.run(["script", "-qec", command, "/dev/null"], stdin=subprocess.DEVNULL, capture_output=True,
                               text=True, timeout=LIMIT, check=True, cwd=self.folder)
        return shown.stdout.replace("\r\n", "\n")

    def names(self, pattern):
        """Returns the blocks of the files that a driver left."""
        return sorted(path.name for path in (self.folder / "results").glob(pattern))

    def assert_refused(self, *arguments, pattern, **keywords):
        """The program prints one error line and measures nothing."""
        ended = self.run_it(*arguments, code=2, record=False, **keywords)
        self.assertEqual(ended.out, "")
        self.assertEqual(len(ended.err), 1, ended.err)
        self.assertRegex(ended.err[0], rf"^{self.program.rsplit('/')[-1]}: error: .*{pattern}")

    def assert_results_are_safe(self, *arguments, option):
        """A device stays a device, two outputs of a run must be different files, and a full disk ends the run soon."""
        device = self.folder / "null"
        device.symlink_to("/dev/null")
        self.run_it(*arguments, option, "null")
        self.assertTrue(device.is_symlink())
        self.assert_refused(*arguments, option, "x.info", "--info", pattern="--info: 'x.info' is the file of --output")
        self.assert_refused(*arguments, option, "x.dat", "--json", "./x.dat", pattern="'x.dat' is the file of --json")
        device.unlink()
        device.symlink_to("/dev/full")
        ended = self.run_it(*arguments, option, "null", code=1)
        self.assertIn("cannot write 'null': No space left on device", ended.errors()[0])
        self.assertEqual(len(ended.points), 1)
