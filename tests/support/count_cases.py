#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts test cases in Meson's test logs: those that Catch2 and our scripts report, and one for every other test.

usage: count_cases.py [--show-failures] TESTLOG.json
prints the numbers of passed and failed cases, and the names of the failed tests, one per line; or how they ended

usage: count_cases.py --replace REPEATED.json TESTLOG.json
copies tests that failed, and passed when repeated, from REPEATED.json into TESTLOG.json; prints how they had failed
"""
import json
import re
import sys

ALL_PASSED = re.compile(r"^All tests passed \(.* in (\d+) test cases?\)$", re.MULTILINE)
SCRIPT = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)
SOME_FAILED = re.compile(r"^test cases: +\d+ \|(.*)$", re.MULTILINE)


def reported(output):
    """Returns the (passed, failed) test cases reported in `output`; (0, 0) without a report."""
    passed = sum(int(n) for n in ALL_PASSED.findall(output))
    failed = 0
    for columns in SOME_FAILED.findall(output):
        counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed)\b", columns)}
        passed += counts.get("passed", 0)
        failed += counts.get("failed", 0)
    for right, wrong in SCRIPT.findall(output):
        passed += int(right)
        failed += int(wrong)
    return passed, failed


def cases(test):
    """Returns the (passed, failed) test cases of one entry of the log. A failure outside of the reported cases (a leak
    at the end, a lost rank, a time limit) counts as one more."""
    result = test["result"]
    if result in ("SKIP", "IGNORED"):
        return 0, 0
    if result == "EXPECTEDFAIL":
        return 1, 0
    passed, failed = reported(test.get("stdout") or "")
    if result == "OK":
        return (passed, failed) if passed + failed else (1, 0)
    return passed, max(failed, 1)


def ending(test):
    """Returns the last lines of a test's output, each cut to a limited length."""
    lines = ((test.get("stdout") or "") + (test.get("stderr") or "")).splitlines()
    return [f"{test['name']}: {test['result']}", *(f"  {line[:200]}" for line in lines[-40:])]


def tests_of(path):
    with open(path, encoding="utf-8") as log:
        return list(map(json.loads, log))


def replace(repeated, path):
    passed = {test["name"]: test for test in tests_of(repeated) if test["result"] == "OK" and not cases(test)[1]}
    tests = tests_of(path)
    for test in tests:
        if test["name"] in passed and cases(test)[1]:
            print(*ending(test), sep="\n")
    with open(path, "w", encoding="utf-8") as log:
        for test in tests:
            print(json.dumps(passed.get(test["name"], test)), file=log)


def main(path, show_failures):
    counted = [(test, *cases(test)) for test in tests_of(path)]
    failed = [test for test, _, wrong in counted if wrong]
    if show_failures:
        for test in failed:
            print(*ending(test), sep="\n")
        return
    print(sum(right for _, right, _ in counted), sum(wrong for _, _, wrong in counted),
          *(test["name"].split(" / ")[-1] for test in failed), sep="\n")


if __name__ == "__main__":
    if sys.argv[1] == "--replace":
        replace(*sys.argv[2:])
        sys.exit()
    main(sys.argv[-1], "--show-failures" in sys.argv[1:-1])
