"""
Runs code of users: a row or a call at a time. The host restores the memory of the interpreter before each, so nothing that one
changes is there for the next.
"""

import ast
import contextlib
import io
import json
import marshal
import os
import random
import time

FILE = "<code>"
MAX_MESSAGE = 10_000

loads = json.loads
dumps = json.JSONEncoder(allow_nan=False).encode
# Set by `seal`.
max_result = 0
max_printed = 0


def run(action, *arguments):
    """The answer of one of the actions below. All arguments and answers are texts."""
    # Restored memory would bring the same random numbers every time.
    random.seed()
    return ACTIONS[action](*arguments)


def compile_code(code):
    """
    The code as the body of a function, marshalled, for `run_row`; or "!" and the outcome of every row when it does not compile.
    Where the code ends without `return`, its `result` is returned.
    """
    try:
        imports, statements = parse(code)
        try:
            compiled = compile_body(imports, [*ast.parse("result = None").body, *statements])
        except SyntaxError:
            # Before `global result` nothing may be assigned to it. Any other mistake is found again.
            compiled = compile_body(imports, statements)
    except BaseException as error:
        return "!" + failure(error)
    return " " + marshal.dumps(compiled).decode("latin-1")


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
    """The outcome of a row as JSON. `data` is JSON."""
    try:
        scope = {"__name__": "__main__", "result": None}
        exec(marshal.loads(compiled.encode("latin-1")), scope)
        value = dumps(scope["body"](loads(data)))
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
    The outcome of the code as the body of a function, with its output and the milliseconds it took, as JSON. `args` and `form` are
    JSON. Nobody puts environment and streams back: the memory is restored.
    """
    args, form = loads(args), loads(form)
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


ACTIONS = {"compile": compile_code, "row": run_row, "call": call_function}
