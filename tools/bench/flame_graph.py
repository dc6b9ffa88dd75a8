#!/usr/bin/env python3
"""Draws samples of perf as a flame graph: an SVG on stdout, what calls below, what is called above.

    perf record -F 299 --call-graph=fp -o perf.data build/bin/vecc graph.pb --train --epochs=1
    perf script -i perf.data -F pid,tid,ip,sym | tools/bench/flame_graph.py --title="..." > flame.svg

The width of a box is its share of all samples, as the number in it. Stacks begin with "first
thread" or "other threads". For whole stacks vecc is compiled with -fno-omit-frame-pointer.
"""

import argparse
import html
import re
import sys
import zlib

WIDTH, ROW, MARGIN = 1200, 17, 10
CHARACTER = 6.1  # of the font, in pixels


class Frame:
    def __init__(self):
        self.samples = 0
        self.callees = {}

    def add(self, stack):
        self.samples += 1
        frame = self
        for name in stack:
            frame = frame.callees.setdefault(name, Frame())
            frame.samples += 1

    def depth(self, least):
        """Rows that frames of `least` samples and more take, with its own."""
        shown = [f for f in self.callees.values() if f.samples >= least]
        return 1 + max((f.depth(least) for f in shown), default=0)


def without_nested(text, opening, closing):
    """Without what stands between such brackets, at any depth."""
    kept, depth = [], 0
    for character in text:
        if character == opening:
            depth += 1
        elif character == closing and depth > 0:
            depth -= 1
        elif depth == 0:
            kept.append(character)
    return "".join(kept)


def short_name(symbol):
    """A C++ function without parameters, template arguments and namespaces of the project."""
    name = re.sub(r"\[clone [^]]*\]|\+0x[0-9a-f]+$", "", symbol).strip()
    name = name.replace("(anonymous namespace)::", "").replace("operator()", "operator")
    name = re.sub(r"operator(<=>|<<|>>|<=|>=|<|>|->)", "operator", name)
    name = without_nested(without_nested(name, "<", ">"), "(", ")")
    name = re.sub(r"\{lambda#\d+\}", "lambda", name)
    name = re.sub(r" (const|volatile|\[\])\b|(?<=[^\w:])const$", "", name).strip()
    words = name.split(" ")
    name = words[-1] if words[-1] else name
    return re.sub(r"\bvecc::", "", name) or symbol


def read_stacks(lines):
    """For each sample of `perf script` its frames, the outermost first. Errors: SystemExit."""
    stack, thread = [], None
    for number, line in enumerate(lines, 1):
        head = re.match(r"^\s*(\d+)(?:/(\d+))?\s*:?\s*$", line)
        if head:
            thread = "first thread" if head[1] == (head[2] or head[1]) else "other threads"
        elif re.match(r"^\s+[0-9a-f]+ ", line) and thread is not None:
            address, symbol = line.strip().split(None, 1)
            if address.startswith("ffffffff8"):  # what the system does is one box
                stack = ["system: " + symbol]
            else:
                stack.append(short_name(symbol))
        elif not line.strip():
            if stack:
                yield [thread, *reversed(stack)]
            stack, thread = [], None
        else:
            sys.exit(f"stdin:{number}: found {line.strip()[:80]!r}, expected lines of "
                     "`perf script -F pid,tid,ip,sym`")
    if stack:
        yield [thread, *reversed(stack)]


def is_plumbing(name):
    """What stands between every caller and callee and says nothing."""
    return name in ("[unknown]", "_start", "__libc_start_main", "__libc_start_call_main",
                    "start_thread", "clone3", "__clone3", "execute_native_thread_routine",
                    "operator", "lambda") or name.startswith(("std::", "void", "__invoke"))


def colour(name):
    """Warm, and always the same for a name."""
    seed = zlib.crc32(name.encode())
    if name.endswith("threads") or name.endswith("thread"):
        return "#b9c4d6"
    return f"hsl({10 + seed % 45},{60 + seed // 64 % 25}%,{66 + seed // 4096 % 14}%)"


class Drawing:
    def __init__(self, root, title, least, wide):
        """`wide`: the samples that the whole width is."""
        self.root, self.title, self.least = root, title, least
        self.scale = (WIDTH - 2 * MARGIN) / max(wide, root.samples)
        self.rows = root.depth(least)
        self.height = (self.rows + 3) * ROW
        self.lines = []

    def box(self, name, frame, left, level):
        width = frame.samples * self.scale
        top = self.height - (level + 1.5) * ROW
        share = 100 * frame.samples / self.root.samples
        label = f"{name} {share:.1f} %"
        self.lines.append(
            f'<g><title>{html.escape(label)}, {frame.samples} samples</title>'
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(width - 0.5, 0.3):.1f}" '
            f'height="{ROW - 1}" fill="{colour(name)}"/>')
        room = int((width - 4) / CHARACTER)
        text = next((t for t in (label, name) if len(t) <= room), name[:room - 1] + "…")
        if room >= 4:
            self.lines.append(f'<text x="{left + 2:.1f}" y="{top + 12:.1f}">'
                              f'{html.escape(text)}</text>')
        self.lines.append("</g>")
        self.callees(frame, left, level + 1)

    def callees(self, frame, left, level):
        # Threads stand by their names, what is called by its share.
        ordered = sorted(frame.callees.items(),
                         key=lambda item: (-item[1].samples * (level > 0), item[0]))
        for name, callee in ordered:
            if callee.samples >= self.least:
                self.box(name, callee, left, level)
            left += callee.samples * self.scale

    def text(self):
        self.callees(self.root, MARGIN, 0)
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            f'width="{WIDTH}" height="{self.height}" '
            'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="10">',
            f'<rect width="{WIDTH}" height="{self.height}" fill="#ffffff"/>',
            f'<text x="{MARGIN}" y="{ROW}" font-size="13">{html.escape(self.title)}</text>',
            *self.lines, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", default="samples of perf", help="above the picture")
    parser.add_argument("--least", type=float, default=0.4, metavar="PERCENT",
                        help="boxes of a smaller share are left out (%(default)s)")
    parser.add_argument("--wide", type=int, default=0, metavar="SAMPLES",
                        help="what the whole width is, if there are less: two pictures are then of "
                             "one scale")
    arguments = parser.parse_args()
    if not 0 <= arguments.least < 100:
        parser.error(f"--least: found {arguments.least}, expected 0 to 100")
    root = Frame()
    for stack in read_stacks(sys.stdin):
        root.add([name for name in stack if not is_plumbing(name)])
    if root.samples == 0:
        sys.exit("stdin: no sample; expected lines of `perf script -F pid,tid,ip,sym`")
    title = f"{arguments.title} ({root.samples:,} samples)"
    sys.stdout.write(Drawing(root, title, arguments.least / 100 * root.samples,
                             arguments.wide).text())


if __name__ == "__main__":
    main()
