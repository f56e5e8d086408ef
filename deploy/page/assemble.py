"""Puts script, style and licences into index.html, with a policy that allows this script and this style and nothing else.

    assemble.py WORK MODULES      WORK has script.js, style.css and esbuild's made-of.json; MODULES is where Debian keeps Node's modules
"""
import base64
import hashlib
import html
import json
import pathlib
import re
import sys

here = pathlib.Path(__file__).parent
work, modules = map(pathlib.Path, sys.argv[1:])


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def licences():
    """The modules that are in the bundle, their versions and licences, as their own package.json says."""
    inputs = json.loads((work / 'made-of.json').read_text())['inputs']
    names = {match[1] for path in inputs if (match := re.search(r'/nodejs/((?:@[^/]+/)?[^/]+)/', path))}
    lines = ['forecourt: Apache-2.0. Bundled with it, from Debian 12:']
    for name in sorted(names):
        about = json.loads((modules / name / 'package.json').read_text())
        licence = about.get('license') or 'see its package'
        lines.append(f'{name} {about["version"]}: {licence if isinstance(licence, str) else licence["type"]}')
    return '\n'.join(lines) + '\n\n' + (here / 'licences.txt').read_text()


# A script that ends its own element, or opens a comment, would be cut short.
script = (work / 'script.js').read_text().strip()
assert not re.search(r'</script|<!--', script, re.I), 'the script would end its element'
style = (work / 'style.css').read_text().strip()
assert '</' not in style, 'the style would end its element'
policy = (f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; img-src data:; connect-src ws: wss:; "
          "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
page = (here / 'index.html').read_text()
for name, text in (('POLICY', policy), ('LICENCES', html.escape(licences())), ('STYLE', style), ('SCRIPT', script)):
    assert page.count(f'@{name}@') == 1, name
    page = page.replace(f'@{name}@', text)
sys.stdout.write(page)
