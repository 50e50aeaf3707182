# SPDX-License-Identifier: BSD-3-Clause
"""Programs that want cores while something is tested."""
import contextlib
import subprocess
import sys


@contextlib.contextmanager
def competitors(number):
    """Programs that want a core each, while the block runs."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for program in busy:
            program.kill()
            program.wait()
