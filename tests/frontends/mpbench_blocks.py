# SPDX-License-Identifier: BSD-3-Clause
"""What mpbench and mpbench-pvm write, read back."""
import math
import re

import harness

COLUMNS = "bytes value iterations repetitions stddev stderr".split()
MIB = 2 ** 20
BASE = {"MB/s": MIB, "KB/s": 1024, "transactions/s": 1, "us": 1e-6}  # units of the record in one of the text


class Block:
    """What one test left in a file."""

    def __init__(self, text):
        lines = text.splitlines()
        self.comments = [line for line in lines if line.startswith("#")]
        columns = [line for line in self.comments if line.startswith("# columns: ")]
        self.columns = columns[0].removeprefix("# columns: ").split() if columns else COLUMNS[:2]
        self.rows = [dict(zip(self.columns, line.split())) for line in lines if line and not line.startswith("#")]
        self.head = "\n".join(self.comments)

    @property
    def name(self):
        return re.search(r"test=(\w+)", self.comments[0])[1]

    @property
    def unit(self):
        return re.search(r"unit=(\S+)", self.comments[0])[1]

    def sizes(self):
        return [int(row["bytes"]) for row in self.rows]

    def values(self, column="value"):
        return [float(row[column]) for row in self.rows]


def blocks(text):
    return [Block(part) for part in text.split("\n\n\n")]


class BlockTest(harness.ProgramTest):
    def assert_numbers(self, block):
        for row in block.rows:
            for cell in row.values():
                self.assertTrue(math.isfinite(float(cell)), (block.name, row))
            self.assertGreater(float(row["value"]), 0, (block.name, row))
