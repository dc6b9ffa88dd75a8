#!/usr/bin/env python3
"""Renders the page of --emit=html in headless Chromium: python3 render_test.py VECC_OPT

A page of few ops, and one of 2,000 levels. Fails if a picture is blank or has one colour only where
bars and boxes should be. Exits with 77 (skipped) where there is no Chromium: a CI machine needs
none, the other tests of the page do without.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDTH, HEIGHT = 1200, 1000
SKIPPED = 77


def program(levels):
    lines = ["vecc program 1 f32 samples 6", 'parameter "w" [1, 3x3]', 'parameter "e" [6, 3x1]',
             '%0 = weight "e" : f32[6, 3x1]', '%1 = weight "w" : f32[1, 3x3]']
    value = 0
    for level in range(levels):
        note = f"  # hop_{level}/2: rule"
        at = 4 * level + 2
        lines += [f"%{at} = gather %{value} [5, 3, 1, 4, 2, 0] : f32[6, 3x1]{note}",
                  f"%{at + 1} = gather %1 [repeat 1 x 6] : f32[6, 3x3]{note}",
                  f"%{at + 2} = linear %{at + 1}, %{at} : f32[6, 3x1]{note}",
                  f"%{at + 3} = transform %{at + 2} tanh : f32[6, 3x1]{note}"]
        value = at + 3
    lines.append(f"%{value + 1} = output %{value} [0:6] : f32[6, 3x1]")
    return "\n".join(lines) + "\n"


def unfilter(kind, line, above, step):
    """One line of a PNG, in place, from its difference to its neighbours."""
    for i in range(len(line)):
        left = line[i - step] if i >= step else 0
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = above[i]
        elif kind == 3:
            guess = (left + above[i]) // 2
        elif kind == 4:
            estimate = left + above[i] - corner
            guess = min((left, above[i], corner), key=lambda v: abs(estimate - v))
        else:
            return
        line[i] = (line[i] + guess) & 255


def count_colours(png):
    """How many pixels of each colour."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
    at, data, header = 8, b"", None
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at:at + 4]), png[at + 4:at + 8]
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = header
    assert depth == 8 and colour in (2, 6) and not interlaced, header
    step = 3 if colour == 2 else 4
    raw = zlib.decompress(data)
    above, counts = bytearray(width * step), {}
    for y in range(height):
        begin = y * (width * step + 1)
        line = bytearray(raw[begin + 1:begin + 1 + width * step])
        unfilter(raw[begin], line, above, step)
        for x in range(0, len(line), step):
            pixel = bytes(line[x:x + 3])
            counts[pixel] = counts.get(pixel, 0) + 1
        above = line
    return (width, height), counts


def render(browser, page, picture, profile):
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--no-first-run", f"--user-data-dir={profile}", f"--screenshot={picture}",
               f"--window-size={WIDTH},{HEIGHT}", "file://" + page]
    subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def check(vecc_opt, browser, folder, levels):
    text, page, picture = (os.path.join(folder, f"{levels}.{end}")
                           for end in ("vecc", "html", "png"))
    with open(text, "w", encoding="utf-8") as file:
        file.write(program(levels))
    subprocess.run([vecc_opt, text, "--passes=drop-dead,iso-compress", "--emit=html", "-o", page],
                   check=True)
    render(browser, page, picture, os.path.join(folder, "profile"))
    with open(picture, "rb") as file:
        size, counts = count_colours(file.read())
    assert size == (WIDTH, HEIGHT), size
    pixels = WIDTH * HEIGHT
    background = max(counts.values())
    assert background < 0.99 * pixels, f"{levels} levels: the picture is blank"
    assert background > 0.3 * pixels, f"{levels} levels: no background"
    # The colours of bars, linear and gather boxes (html_style.h, light).
    for name, colour, least in (("bars", "5b8fc9", 300), ("linear", "c6e3c2", 300),
                                ("gather", "f6cfcf", 300)):
        found = counts.get(bytes.fromhex(colour), 0)
        assert found >= least, f"{levels} levels: {found} pixels of {name}, expected {least}"
    print(f"{levels} levels: {len(counts)} colours, {100 * background / pixels:.0f} % background")


def main():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("skipped: none of " + ", ".join(BROWSERS) + " is installed")
        return SKIPPED
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for levels in (3, 2000):
            check(os.path.abspath(sys.argv[1]), browser, folder, levels)
    return 0


if __name__ == "__main__":
    sys.exit(main())
