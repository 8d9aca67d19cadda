"""
Prepares the interpreter before code of users runs. `preload` runs in the build, before the snapshot is made; `seal` runs in every
process and takes away the ways from Python into JavaScript and into the memory of the interpreter.
"""

import asyncio
import gc
import importlib
import os
import sys
import time
import types

import _imp
import event_loop
import runner
import time_zones

PRELOADED = """
    abc array asyncio base64 binascii bisect calendar collections collections.abc contextlib copy csv dataclasses datetime
    decimal difflib enum fractions functools hashlib hmac heapq html io itertools json logging math numbers operator os
    os.path pathlib pprint random re secrets statistics string struct textwrap time traceback types typing unicodedata
    urllib.parse uuid xml.etree.ElementTree zlib"""

HOST = ("js", "pyodide_js", "_pyodide_core", "_pyodide", "pyodide", "micropip")
OWN = ("event_loop", "runner", "seal", "time_zones", "__main__")

# Modules written in C that code never gets: they read memory by its address, crash on purpose, or lead into JavaScript.
REFUSED = ("_ctypes", "_pyodide_core", "_remote_debugging", "_test", "_xxtestfuzz", "faulthandler", "xxsubtype")

# Creating a module written in C a second time would bring a refused one back, or a fresh one with the functions below.
CREATORS = "create_builtin exec_builtin create_dynamic exec_dynamic".split()
# Functions that find objects which no name leads to, and one whose setting is not in the memory of the interpreter.
DELETED = {gc: "get_objects get_referrers get_referents".split(), os: ["umask"], sys.modules["posix"]: ["umask"]}


def preload(tzdata):
    """
    Imports what code often imports, and every module in C that it may have: none can be created after `seal`. `tzdata` is the path of
    the time zones.
    """
    for name in sys.builtin_module_names:
        if not name.startswith(REFUSED):
            importlib.import_module(name)
    for name in PRELOADED.split():
        importlib.import_module(name)
    time_zones.preload(tzdata)
    # Collections of garbage pass over all of this from now on.
    gc.collect()
    gc.freeze()


def seal(max_result, max_printed):
    """The function that runs code, with these limits in characters."""
    runner.max_result = max_result
    runner.max_printed = max_printed
    for finder in sys.meta_path[:]:
        if type(finder).__module__.startswith(HOST) or getattr(finder, "__module__", "").startswith(HOST):
            sys.meta_path.remove(finder)
            vars(finder).get("jsproxies", {}).clear()
    use_own_event_loop()
    run = runner.run
    forget_modules()
    for name in CREATORS:
        setattr(_imp, name, refuse_module)
    for module, names in DELETED.items():
        for name in names:
            delattr(module, name)
    os.environ.clear()
    return run


def use_own_event_loop():
    """The one of the host waits for JavaScript, and so do the functions that it has wrapped."""
    asyncio.run = asyncio.run.__wrapped__
    time.sleep = time.sleep.__wrapped__
    asyncio.events._set_running_loop(None)
    asyncio.events._event_loop_policy = event_loop.EventLoopPolicy()


def refuse_module(spec):
    name = getattr(spec, "name", spec)
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def forget_modules():
    """Modules of the host are emptied, because classes that stay alive refer to them. Our own are only no longer found by name."""
    forgotten = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in HOST + OWN}
    for name, module in forgotten.items():
        if name.partition(".")[0] in HOST and isinstance(module, types.ModuleType):
            vars(module).clear()
