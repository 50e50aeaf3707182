#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What run_docs.py recognises as a block: no code in a document or a header goes unnoticed."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import run_docs


def found(search, text):
    with tempfile.TemporaryDirectory(prefix="libmeasure-blocks-") as scratch:
        path = pathlib.Path(scratch) / "some"
        path.write_text(text, encoding="utf-8")
        return list(search(path))


def blocks(text):
    return [(line, language) for line, language, _ in found(run_docs.blocks, text)]


def comments(text):
    return [(line, code.splitlines()[0]) for line, code in found(run_docs.comment_blocks, text)]


class Documents(unittest.TestCase):
    def test_the_language_is_the_rest_of_the_fence_line(self):
        self.assertEqual(blocks("a\n```sh mpich\nls\n```\n\n```c++\nint x;\n```\n"), [(2, "sh mpich"), (6, "c++")])
        self.assertEqual(blocks("```\nls\n```\n"), [(1, "")])

    def test_code_without_a_proper_fence_is_found(self):
        for text in ("a\n\n    int x;\n", "a\n  ```cpp\n", "~~~sh\nls\n~~~\n", "a\n<pre>ls</pre>\n", "```sh\nls\n"):
            self.assertIn(None, [language for _, language in blocks(text)], text)

    def test_indented_text_of_a_paragraph_or_list_is_not_code(self):
        self.assertEqual(blocks("a long\n    sentence\n\n* item\n\n    of two paragraphs\n"), [])

    def test_the_inside_of_a_block_is_not_searched(self):
        self.assertEqual(blocks("```cpp\n\n    ~~~\n    <pre>\n```\n"), [(1, "cpp")])


class Comments(unittest.TestCase):
    def test_indented_code_is_found_in_each_kind_of_comment(self):
        self.assertEqual(comments("/// a\n///\n///     f(x);\n///     g();\n/// b\n"), [(3, "f(x);")])
        self.assertEqual(comments("/**\n * a\n *\n *     #include <a.h>\n */\n"), [(4, "#include <a.h>")])
        self.assertEqual(comments("! a\n!\n!     f(x);\n!\n! b\n"), [(3, "f(x);")])

    def test_code_with_a_command_or_a_fence_is_found(self):
        self.assertEqual(comments("/// \\code\n/// f();\n/// \\endcode\n"), [(1, "\\code")])
        self.assertEqual(comments("/// ```cpp\n"), [(1, "```cpp")])

    def test_tables_formulas_and_continued_lines_are_not_code(self):
        self.assertEqual(comments("/// a\n///\n///     interval  > 0  of the median;\n///     y = a x + b\n/// b\n"), [])
        self.assertEqual(comments("/// \\return a\n///         b();\nint f();\n"), [])


if __name__ == "__main__":
    unittest.main()
