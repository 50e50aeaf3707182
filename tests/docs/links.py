#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every relative link in a document leads to an existing file, and to an existing heading of it."""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def documents():
    return [path for pattern in ("*.md", "docs/**/*.md", "frontends/*/*.md", "libmeasure/*/*.md")
            for path in sorted(TOP.glob(pattern))]


def prose(path):
    """(number, text) of each line outside of code blocks."""
    in_block = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("```"):
            in_block = not in_block
        elif not in_block:
            yield number, line


def anchors(path):
    """The anchors that Git hosts give to headings."""
    found = []
    for _, line in prose(path):
        if heading := re.match(r"#+ (.*)", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1].lower())
            found.append(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return {f"{name}-{found[:i].count(name)}" if name in found[:i] else name for i, name in enumerate(found)}


def faults(path):
    for number, line in prose(path):
        for link in LINK.findall(line):
            name, _, anchor = link.partition("#")
            target = path.parent / name if name else path
            if "://" in link:
                continue
            if not target.exists():
                yield f"{path.relative_to(TOP)}:{number}: there is no {link}"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{path.relative_to(TOP)}:{number}: {name or path.name} has no heading #{anchor}"


def main():
    pages = documents()
    found = [fault for page in pages for fault in faults(page)]
    print("\n".join(found) or f"all links of {len(pages)} documents lead somewhere")
    return 1 if found or len(pages) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
