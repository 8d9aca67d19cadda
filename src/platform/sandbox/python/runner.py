"""Runs code of users. What a call has changed is put back by the host, which restores the memory of the interpreter."""

import ast
import contextlib
import io
import json
import os
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
max_printed = 0
# The code that was run last, compiled.
known = {}


def run(code, rows, is_restored, form):
    """
    The outcomes of the first rows as JSON, as many as fit into a turn. Code that may change what later calls see gets one row,
    and there is a "!" before its outcome: the memory must then be restored before the next call.
    """
    if is_restored:
        # Otherwise the same random numbers would come every time.
        random.seed()
    if form:
        return "![" + call_function(code, loads(rows)[0], loads(form)) + "]"
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
    imports, statements = parse(code)
    try:
        compiled = compile_body(imports, [*ast.parse("result = None").body, *statements])
    except SyntaxError:
        # Before `global result` nothing may be assigned to it. Any other mistake is found again.
        compiled = compile_body(imports, statements)
    return compiled, harmless.is_harmless(compiled)


def parse(code):
    statements = ast.parse(code, FILE).body
    imports = [one for one in statements if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
    return imports, [one for one in statements if one not in imports]


def compile_body(imports, statements, head="def body(data): return result"):
    function = ast.parse(head).body[0]
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


class Printed(io.StringIO):
    """What was printed on a stream, as far as there is room for it."""

    room = 0

    def write(self, text):
        kept = text[: self.room]
        self.room -= len(kept)
        super().write(kept)
        return len(text)


def call_function(code, args, form):
    """
    The outcome of the code as the body of a function, with what it printed and how many milliseconds it took. Environment and
    streams need not be put back: the memory is restored after it.
    """
    streams = Printed(), Printed()
    for stream in streams:
        stream.room = max_printed
    start = time.monotonic()
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        outcome = function_outcome(code, args, form)
    printed = [dumps(io.StringIO.getvalue(stream)) for stream in streams]
    ms = round((time.monotonic() - start) * 1000)
    return '{%s,"stdout":%s,"stderr":%s,"ms":%d}' % (outcome, *printed, ms)


def function_outcome(code, args, form):
    try:
        os.environ.update(form["env"])
        scope = {"__name__": "__main__"}
        imports, statements = parse(code)
        exec(compile_body(imports, statements, f"def {form['name']}(args): return None"), scope)
        value = dumps(scope[form["name"]](args))
        if len(value) <= max_result:
            return '"value":' + value
        error = {"type": "ValueError", "message": f"The result is longer than {max_result} characters."}
    except BaseException as thrown:
        name, message, place = parts_of(thrown)
        error = {"type": name, "message": f"{message} {place}".strip()}
    return '"error":' + dumps(error)


def failure(error):
    return dumps({"error": describe(error)})


def describe(error):
    """What went wrong as people read it, with the line of the code."""
    name, message, place = parts_of(error)
    return name + (f": {message}" if message else "") + (f" {place}" if place else "")


def parts_of(error):
    name = type(error).__name__
    try:
        is_syntax = isinstance(error, SyntaxError)
        message = str(error.msg if is_syntax else error)[:MAX_MESSAGE]
        line = error.lineno if is_syntax else last_line(error)
    except BaseException:
        return name, "", ""
    return name, message, f"(line {line})" if line else ""


def last_line(error):
    line = None
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
