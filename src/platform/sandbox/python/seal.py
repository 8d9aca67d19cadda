"""Loads what code of users often imports, and takes away the ways from Python into JavaScript. Runs once, before any of it."""

import importlib
import os
import sys

PRELOADED = """
    abc array asyncio base64 binascii bisect calendar collections collections.abc contextlib copy csv dataclasses datetime
    decimal difflib enum fractions functools hashlib hmac heapq html io itertools json logging math numbers operator os
    os.path pathlib pprint random re secrets statistics string struct textwrap time traceback types typing unicodedata
    urllib.parse uuid xml.etree.ElementTree zlib"""

HOST = ("js", "pyodide_js", "_pyodide_core", "_pyodide", "pyodide", "micropip", "ctypes", "_ctypes")
OWN = ("harmless", "runner", "seal", "__main__")


class Refuser:
    """Comes before all finders of modules."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HOST:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def seal(turn_seconds, max_result, max_printed):
    """The function that runs code, with these limits. Nothing of the host can be imported after this."""
    for name in PRELOADED.split():
        importlib.import_module(name)
    import runner

    runner.turn_seconds = turn_seconds
    runner.max_result = max_result
    runner.max_printed = max_printed
    for name in list(sys.modules):
        if name.partition(".")[0] in HOST + OWN:
            del sys.modules[name]
    sys.meta_path.insert(0, Refuser())
    os.environ.clear()
    return runner.run
