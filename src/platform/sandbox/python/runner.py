"""Runs code of users. What a call has changed is put back by the host, which restores the memory of the interpreter."""

import ast
import json
import random
import time

import harmless

FILE = "<code>"
MAX_MESSAGE = 10_000

loads = json.loads
dumps = json.JSONEncoder(allow_nan=False).encode
# Set by the host.
turn_seconds = 0
max_result = 0
# The code that was run last, compiled.
known = {}


def run(code, rows, is_restored):
    """
    The outcomes of the first rows as JSON, as many as fit into a turn. Code that may change what later calls see gets one row,
    and there is a "!" before its outcome: the memory must then be restored before the next call.
    """
    if is_restored:
        # Otherwise the same random numbers would come every time.
        random.seed()
    end = time.monotonic() + turn_seconds
    try:
        compiled, is_harmless = known.get(code) or compile_code(code)
    except BaseException as error:
        return " [" + ",".join([failure(error)] * len(loads(rows))) + "]"
    if is_harmless:
        known.clear()
        known[code] = compiled, True
    outcomes = []
    for data in loads(rows):
        outcomes.append(run_row(compiled, data))
        if not is_harmless or time.monotonic() > end:
            break
    return (" [" if is_harmless else "![") + ",".join(outcomes) + "]"


def compile_code(code):
    """
    The code as the body of a function, and whether it is harmless. Where it ends without `return`, its `result` is returned.
    """
    statements = ast.parse(code, FILE).body
    imports = [one for one in statements if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    statements = [one for one in statements if one not in imports]
    try:
        compiled = compile_body(imports, [*ast.parse("result = None").body, *statements])
    except SyntaxError:
        # Before `global result` nothing may be assigned to it. Any other mistake is found again.
        compiled = compile_body(imports, statements)
    return compiled, harmless.is_harmless(compiled)


def compile_body(imports, statements):
    function = ast.parse("def body(data): return result").body[0]
    function.body = [*statements, *function.body]
    module = ast.Module([*imports, function], [])
    return compile(ast.fix_missing_locations(module), FILE, "exec")


def run_row(compiled, data):
    try:
        scope = {"__name__": "__main__", "result": None}
        exec(compiled, scope)
        value = dumps(scope["body"](data))
        if len(value) <= max_result:
            return '{"value":' + value + "}"
        return dumps({"error": f"The result is longer than {max_result} characters."})
    except BaseException as error:
        return failure(error)


def failure(error):
    return dumps({"error": describe(error)})


def describe(error):
    """What went wrong as people read it, with the line of the code."""
    name = type(error).__name__
    try:
        is_syntax = isinstance(error, SyntaxError)
        message = str(error.msg if is_syntax else error)[:MAX_MESSAGE]
        line = error.lineno if is_syntax else last_line(error)
    except BaseException:
        return name
    return name + (f": {message}" if message else "") + (f" (line {line})" if line else "")


def last_line(error):
    line = None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
