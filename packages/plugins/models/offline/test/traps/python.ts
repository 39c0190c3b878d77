import type { MarkedFiles } from '../marked.ts';

/** Python that python runs: packages, scopes, strings that count, strings that do not. */
export const PYTHON: MarkedFiles = {
  'py/tool/__init__.py': 'from .loader import ⟦load⟧, other\n__all__ = ["⟦load⟧", "other"]\n',
  'py/tool/loader.py': `"""load things."""
import json

def ⟦load⟧(path, depth=0):
    """load a path."""
    if depth:
        return ⟦load⟧(path)
    return "load:" + path

def other(load=⟦load⟧, *rest, **more):
    return load("o") + str(json.loads("1"))

class Cart:
    load = 7
    kept = load

    def total(self):
        return self.load + len(⟦load⟧("t"))

    @staticmethod
    def again(load):
        return [load for load in range(load)], (lambda load: load)(1), {load: 1}

def local():
    load = 3
    def inner():
        nonlocal load
        load += 1
        return load
    return inner() + load

def changed():
    global ⟦load⟧
    before = ⟦load⟧
    ⟦load⟧ = before
    return f"{⟦load⟧('f')!s} load {local():>{2}}"

def comprehended(load):
    return [load(x) for x in "ab"]
`,
  'py/tool/deep/__init__.py': '',
  'py/tool/deep/use.py': `from ..loader import ⟦load⟧ as renamed
from .. import loader
from ..loader import *
from .. import ⟦load⟧ as short
import tool.loader
import tool.loader as direct

def run():
    return renamed("1"), loader.⟦load⟧("2"), ⟦load⟧("3"), short("4"), tool.loader.⟦load⟧("5"), direct.⟦load⟧("6")
`,
  'py/loader.py': 'def load():\n    return "the other loader"\n',
  'py/main.py': `import json
import loader
from json import load as json_load
from tool import ⟦load⟧, other
from tool.loader import Cart, changed, comprehended, local
from tool.deep import use

kept = dict(load=3)
print("py", ⟦load⟧("m"), other(), Cart().total(), Cart.load, Cart.again(2), local(), changed(), comprehended(⟦load⟧))
print(use.run(), loader.load(), json_load.__name__, json.load.__name__, kept["load"], kept)
`,
  'py/yaml_tool.py':
    'try:\n    from yaml import load\nexcept ImportError:\n    load = None\nprint("yaml", load is None or True)\n',
};
