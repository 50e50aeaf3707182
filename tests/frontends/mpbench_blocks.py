# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of mpbench and mpbench-pvm know of the numbers."""
import math

import llcbench_blocks

COLUMNS = "bytes value iterations repetitions stddev stderr best median mean".split()
MIB = 2 ** 20
BASE = {"MB/s": MIB, "KB/s": 1024, "transactions/s": 1, "us": 1e-6}  # units of the record in one of the text


class BlockTest(llcbench_blocks.BlockTest):
    def assert_numbers(self, block):
        for row in block.rows:
            # Of a single loop no spread is known.
            spread = {"stddev", "stderr"} if row["repetitions"] == "1" else set()
            for column, cell in row.items():
                self.assertTrue(cell == "-" if column in spread else math.isfinite(float(cell)), (block.name, row))
            self.assertGreater(float(row["value"]), 0, (block.name, row))
