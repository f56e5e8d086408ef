#!/usr/bin/env python3
"""Prints the tables of README.md.  ./study.py [--write] [TABLE…]   (Python 3.9 or newer, no packages; some minutes)

--write puts the tables into README.md, between their marks.
"""

import os
import re
import sys

import distances
import tables

TABLES = {
    f.__name__: f
    for f in (
        tables.reference, tables.methods, tables.tried, tables.crossed, tables.sensitivity,
        distances.path_loss, distances.shadowing, distances.coverage, distances.silences,
    )
}  # fmt: skip
HERE = os.path.dirname(os.path.abspath(__file__))


def main(arguments):
    write = "--write" in arguments
    wanted = [a for a in arguments if a != "--write"] or list(TABLES)
    page = open(os.path.join(HERE, "README.md")).read() if write else ""
    for name in wanted:
        text = "\n".join(TABLES[name]())
        if not write:
            print(f"\n## {name}\n\n{text}", flush=True)
            continue
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
        page, found = mark.subn(lambda m: m.group(1) + text + "\n" + m.group(2), page)
        if not found:
            sys.exit(f"README.md has no place marked {name}")
    if write:
        open(os.path.join(HERE, "README.md"), "w").write(page)


if __name__ == "__main__":
    main(sys.argv[1:])
