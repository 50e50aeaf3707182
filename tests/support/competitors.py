# SPDX-License-Identifier: BSD-3-Clause
"""Programs that compete for cores during a test."""
import contextlib
import subprocess
import sys


@contextlib.contextmanager
def competitors(number):
    """Runs programs that need a core each, during the block."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for program in busy:
            program.kill()
            program.wait()
