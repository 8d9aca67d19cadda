"""Compiles the modules of the standard library that every interpreter loads, so that none has to when it starts."""

import importlib
import importlib.util
import marshal
import struct
import sys
import zipfile

import seal

# The compiled code is taken as it is: nobody compares it with its source.
UNCHECKED = 0b01


def compile_library(source, target):
    """Writes the library of `source` to `target`, with the compiled code beside the sources it is made from."""
    for name in seal.PRELOADED.split():
        importlib.import_module(name)
    loaded = names_of_loaded()
    with zipfile.ZipFile(source) as library, zipfile.ZipFile(target, "w") as compiled:
        for entry in library.infolist():
            content = library.read(entry)
            compiled.writestr(entry, content)
            if entry.filename in loaded:
                compiled.writestr(entry.filename + "c", to_bytecode(content, loaded[entry.filename]))


def names_of_loaded():
    """Where loaded modules lie in the library, and the names of their files."""
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    return {file.split(".zip/", 1)[1]: file for file in files if ".zip/" in file}


def to_bytecode(content, file):
    code = compile(content, file, "exec", dont_inherit=True)
    head = importlib.util.MAGIC_NUMBER + struct.pack("<I", UNCHECKED) + importlib.util.source_hash(content)
    return head + marshal.dumps(code)
