# SPDX-License-Identifier: BSD-3-Clause
"""Columns, units and number checks for the tests of mpbench and mpbench-pvm."""
import math

import llcbench_blocks

COLUMNS = "bytes value iterations repetitions stddev stderr best median mean".split()
MIB = 2 ** 20
BASE = {"MB/s": MIB, "KB/s": 1024, "transactions/s": 1, "us": 1e-6}  # units of the text, in units of the record


class BlockTest(llcbench_blocks.BlockTest):
    def assert_numbers(self, block):
        for row in block.rows:
            # A single loop has no spread.
            spread = {"stddev", "stderr"} if row["repetitions"] == "1" else set()
            for column, cell in row.items():
                self.assertTrue(cell == "-" if column in spread else math.isfinite(float(cell)), (block.name, row))
            self.assertGreater(float(row["value"]), 0, (block.name, row))
