#!/usr/bin/env python3
"""paths_test.py SOURCE: every file and heading that the documents name is there, and docs/README.md
lists every page."""

import os
import re
import sys
from pathlib import Path

FOLDERS = "include|src|optimizer|backends|tools|tests|docs|proto|cmake|examples|datasets"
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(rf"(?:\.ci|{FOLDERS})/[\w./{{}}*,+-]*")
FILE = re.compile(r"[\w-]+\.(?:h|cc|def|proto|py|java)")
# What programs write, and what a how-to page tells its reader to make.
ELSEWHERE = {"model.py", "model.java"}


def pages(root):
    found = list(root.glob("docs/**/*.md"))
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "datasets/README.md"):
        if (root / name).exists():
            found.append(root / name)
    return sorted(found)


def slugs(text):
    """Anchors of headings, as GitHub makes them."""
    found, inside = {}, False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = not inside
        heading = None if inside else re.match(r"#+ (.*)", line)
        if heading:
            slug = re.sub(r"[^\w\- ]", "", heading[1].strip().lower()).replace(" ", "-")
            found[slug] = found.get(slug, -1) + 1
            if found[slug]:
                found[f"{slug}-{found[slug]}"] = 0
    return set(found)


def alternatives(path):
    """a.{h,cc} is a.h and a.cc."""
    braces = re.fullmatch(r"(.*)\{([^{}]*)\}(.*)", path)
    if not braces:
        return [path]
    return [each for part in braces[2].split(",") for each in alternatives(braces[1] + part + braces[3])]


def main():
    root = Path(sys.argv[1])
    names = set()
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith("build") and f not in (".git", ".venv")]
        names.update(files)
    problems = []
    for page in pages(root):
        text = page.read_text()
        where = page.relative_to(root)
        if re.search(r"^(<<<<<<<|>>>>>>>) ", text, flags=re.M):
            problems.append(f"{where}: has marks of a merge")

        def check(what, is_there):
            if not is_there:
                problems.append(f"{where}: {what}")

        for target in LINK.findall(re.sub(r"^```.*?^```|`[^`\n]+`", "", text, flags=re.M | re.S)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            there = page if not path else page.parent / path
            check(f"link to {target}: no such file", there.exists())
            if anchor and there.suffix == ".md" and there.exists():
                check(f"link to {target}: no such heading", anchor in slugs(there.read_text()))
        for code in CODE.findall(text):
            if PATH.fullmatch(code) and "NAME" not in code:
                for path in alternatives(code):
                    found = list(root.glob(path)) if "*" in path else (root / path).exists()
                    check(f"`{code}`: no such file", bool(found))
            elif FILE.fullmatch(code) and code not in ELSEWHERE:
                check(f"`{code}`: no file has this name", code in names)
    index = (root / "docs/README.md").read_text()
    for page in root.glob("docs/**/*.md"):
        name = str(page.relative_to(root / "docs"))
        if name != "README.md" and f"({name})" not in index:
            problems.append(f"docs/README.md: does not list {name}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
