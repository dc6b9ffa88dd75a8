"""Tests of check_layers.py on small trees."""

import tempfile
import unittest
from pathlib import Path

import check_layers


class CheckLayers(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {"low/a.h": "", "low/deep/b.h": "", "include/p.h": "", **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            order = root / "tests/scripts/layers.txt"
            order.parent.mkdir(parents=True)
            order.write_text("# lowest first\ninclude  p\nlow  a\nhigh  c\nlow/deep  b\n")
            return list(check_layers.faults(root))

    def test_downward_and_generated_includes_are_right(self):
        self.assertEqual([], self.faults({
            "high/c.cc": '#include <vector>\n#include "low/a.h"\n#include "p.h"\n#include "made.inc"\n'}))

    def test_an_upward_include_is_named_with_file_line_and_rule(self):
        self.assertEqual(
            ["low/d.cc:2: includes high/c.h: low stands below high"],
            self.faults({"high/c.h": "", "low/d.cc": '\n#include "high/c.h"\n'}))

    def test_the_longest_folder_decides(self):
        self.assertEqual(
            ["high/c.cc:1: includes low/deep/b.h: high stands below low/deep"],
            self.faults({"high/c.cc": '#include "low/deep/b.h"\n'}))

    def test_an_include_beside_the_file_counts(self):
        self.assertEqual(
            ["low/d.cc:1: includes high/c.h: low stands below high"],
            self.faults({"high/c.h": "", "low/d.cc": '#include "../high/c.h"\n'}))

    def test_a_library_links_no_higher_one(self):
        self.assertEqual(
            ["low/CMakeLists.txt: vecc_low links vecc_high: low stands below high"],
            self.faults({"low/CMakeLists.txt": "vecc_library(vecc_low DEPENDS fmt::fmt\n  vecc_high)\n",
                         "high/CMakeLists.txt": "vecc_library(vecc_high)  # vecc_low\n"}))

    def test_every_layer_has_files(self):
        self.assertEqual(["layers.txt: high has no files"], self.faults({}))

    def test_public_headers_show_no_boost(self):
        self.assertEqual(
            ["include/q.h:1: public headers show no Boost"],
            self.faults({"high/c.h": "", "include/q.h": "#include <boost/x.hpp>\n// boost\n"}))


if __name__ == "__main__":
    unittest.main()
