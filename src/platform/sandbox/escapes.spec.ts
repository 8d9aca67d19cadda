import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeRunner, type CodeOutcome, type Language } from './code-runner.js';
import { Sandbox } from './sandbox.js';

const owner = { workspaceId: 1, keyId: null };

let sandbox: Sandbox;
let runner: CodeRunner;
beforeAll(() => {
  sandbox = new Sandbox({ processes: 1, codeMs: 1_500 });
  runner = new CodeRunner(sandbox);
});
afterAll(() => sandbox.onApplicationShutdown());

function run(language: Language, code: string, data: object = {}): Promise<CodeOutcome> {
  return runner.run({ language, code }, data, owner, new AbortController().signal);
}

/** What every later call must find, whatever was tried before. */
const UNTOUCHED: Record<Language, { code: string; value: unknown }> = {
  PYTHON: {
    code: [
      'import builtins, collections, gc, json, os, re, sys',
      'left = [name for name in ("leak", "evil") if name in globals() or hasattr(builtins, name) or name in sys.modules]',
      'return [json.dumps({"a": [1, None]}), json.loads("[1]"), len("abc"), sum([1, 2]), re.findall("a", "aa"), left,',
      '        str(collections.Counter("aab")), json.JSONEncoder.__name__, sys.getrecursionlimit(), gc.isenabled(),',
      '        sorted(os.listdir("/tmp")), sorted([3, 1]), "leak" in os.environ, data.get("x")]',
    ].join('\n'),
    value: [
      '{"a": [1, null]}',
      [1],
      3,
      3,
      ['a', 'a'],
      [],
      "Counter({'a': 2, 'b': 1})",
      'JSONEncoder',
      1000,
      true,
    ].concat([[], [1, 3], false, 7] as never[]),
  },
  JAVASCRIPT: {
    code: `
      const left = ['leak', 'evil', 'process'].filter((name) => name in globalThis);
      return [JSON.stringify({ a: [1, null] }), JSON.parse('[1]'), [3, 1].sort(), left, {}.leak, [].leak, data.get('x'),
        Object.keys(data), typeof console.log, [1, 2].map((n) => n * 2), typeof Promise.prototype.then];`,
    value: ['{"a":[1,null]}', [1], [1, 3], [], null, null, 7, ['x'], 'function', [2, 4], 'function'],
  },
};

type Attempt = [title: string, code: string];

const PYTHON: Attempt[] = [
  ['the host by its module', 'import js\nreturn str(js)'],
  ['the interpreter by its module', 'import pyodide_js\nreturn str(pyodide_js)'],
  ['JavaScript from a text', 'from pyodide.code import run_js\nreturn run_js("1 + 1")'],
  ['JavaScript from a text, by another way', 'import pyodide\nreturn pyodide.code.run_js("process.version")'],
  ['the host through what is exported', 'import _pyodide_core\nreturn str(_pyodide_core)'],
  [
    'the constructor of a constructor',
    'from pyodide.ffi import to_js\nreturn to_js([1]).constructor.constructor("return process")().version',
  ],
  [
    'the constructor of an error',
    'try:\n  from pyodide.ffi import to_js\n  to_js([1]).x.y\nexcept Exception as error:\n  return str(error.js_error.constructor.constructor("return process")())\nraise error',
  ],
  [
    'a proxy among all objects',
    'import gc\nfound = [one for one in gc.get_objects() if "JsProxy" in type(one).__name__]\nreturn found[0].constructor.constructor("return process")().version',
  ],
  [
    'modules that were forgotten',
    'import sys\nfor name in list(sys.modules):\n  if sys.modules[name] is None: del sys.modules[name]\nimport js\nreturn js.process.version',
  ],
  ['a socket', 'import socket\nsocket.create_connection(("127.0.0.1", 6379), timeout=1)\nreturn "open"'],
  ['a name', 'import socket\nraise OSError(socket.getaddrinfo("example.com", 80)[0][4][0].replace("172.29.", ""))'],
  ['a page', 'import urllib.request\nreturn urllib.request.urlopen("http://127.0.0.1:3000/").read()'],
  ['a fetch', 'from pyodide.http import open_url\nreturn open_url("http://127.0.0.1:3000/").read()'],
  ['a file of the host', 'return open("/etc/passwd").read()'],
  ['a folder of the host', 'import os\nreturn os.listdir("/etc")'],
  ['the processes of the host', 'return open("/proc/self/environ").read()'],
  ['a file that stays', 'open("/tmp/leak", "w").write("x")\nraise OSError'],
  ['another process', 'import subprocess\nreturn subprocess.check_output(["id"])'],
  ['a shell', 'import os\nif os.system("id") != 0: raise OSError("no shell")\nreturn 1'],
  ['a fork', 'import os\nreturn os.fork()'],
  ['a thread', 'import threading\nthreading.Thread(target=print).start()\nreturn 1'],
  ['the environment', 'import os\nreturn os.environ["PATH"]'],
  ['libraries', 'import ctypes\nreturn ctypes.CDLL("libc.so.6").getpid()'],
  ['memory by its address', 'import ctypes\nctypes.memset(0, 255, 1 << 30)\nreturn 1'],
  ['a package', 'import micropip\nreturn str(micropip)'],
  ['a large text', 'return len("x" * (1 << 30))'],
  ['a large list', 'all = []\nwhile True: all.append(bytearray(1 << 20))'],
  ['a large number', 'return 9 ** 9 ** 9'],
  ['a large range', 'return list(range(1 << 30))'],
  ['an endless loop', 'while True: pass'],
  [
    'an endless loop that catches everything',
    'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
  ],
  ['a pattern without end', 'import re\nreturn bool(re.match(r"(a+)+$", "a" * 64 + "b"))'],
  ['waiting', 'import time\ntime.sleep(100)'],
  ['deep recursion', 'def f(n): return f(n + 1)\nreturn f(0)'],
  ['deeper recursion', 'import sys\nsys.setrecursionlimit(10**9)\ndef f(n): return f(n + 1)\nreturn f(0)'],
  ['deep nesting', 'value = []\nfor _ in range(100000): value = [value]\nreturn value'],
  ['deep code', `return ${'('.repeat(5_000)}1${')'.repeat(5_000)}`],
  ['many brackets', `return ${'['.repeat(100_000)}`],
  ['the end of the process', 'import os\nos._exit(0)'],
  ['the end of the process, said politely', 'import sys\nsys.exit(3)'],
  ['a crash', 'import faulthandler\nfaulthandler._sigsegv()'],
  ['a signal', 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nraise OSError'],
  ['a callback for later', 'import asyncio\nasyncio.get_event_loop().call_later(0, print)\nraise OSError'],
];

/** What leaves something behind, and must not. */
const PYTHON_LEFT: Attempt[] = [
  ['a global', 'global leak\nleak = 1\nreturn 1'],
  ['a builtin', 'import builtins\nbuiltins.leak = 1\nbuiltins.len = lambda _: 0\nbuiltins.sum = None\nreturn 1'],
  ['a builtin through its dictionary', '__builtins__["sorted"] = None\nreturn 1'],
  ['functions of json', 'import json\njson.dumps = json.loads = lambda *_: "evil"\nreturn 1'],
  ['methods of json', 'import json\njson.JSONEncoder.encode = json.JSONEncoder.default = lambda *_: "1"\nreturn 1'],
  ['a name of json', 'import json\njson.JSONEncoder.__name__ = "evil"\nreturn 1'],
  [
    'what json is made of',
    'import json\njson.encoder.c_make_encoder = None\njson.decoder.scanner.c_make_scanner = None\nreturn 1',
  ],
  ['code of a function', 'import re\nre.findall.__code__ = (lambda *a, **k: ["evil"]).__code__\nreturn 1'],
  [
    'defaults of a function',
    'import json\njson.dumps.__kwdefaults__["indent"] = 7\njson.dumps.__defaults__ = (1,)\nreturn 1',
  ],
  ['a module', 'import sys, types\nsys.modules["leak"] = types.ModuleType("leak")\nsys.modules["json"] = 1\nreturn 1'],
  ['no modules', 'import sys\nsys.modules.clear()\nreturn 1'],
  ['a path', 'import sys\nsys.path.clear()\nsys.meta_path.clear()\nreturn 1'],
  ['an import', 'import builtins\nbuiltins.__import__ = None\nreturn 1'],
  ['an environment', 'import os\nos.environ["leak"] = "1"\nreturn 1'],
  ['a folder', 'import os\nos.chdir("/")\nreturn 1'],
  ['a trace', 'import sys\nsys.settrace(lambda *_: 1 / 0)\nreturn 1'],
  ['no garbage collection', 'import gc\ngc.disable()\nreturn 1'],
  ['a recursion limit', 'import sys\nsys.setrecursionlimit(50)\nreturn 1'],
  ['a class', 'import collections\ncollections.Counter.__repr__ = lambda _: "evil"\nreturn 1'],
  [
    'a method by its instance',
    'import collections\nsetattr(type(collections.Counter()), "most_common", None)\nreturn 1',
  ],
  ['through format fields', 'import collections\nvars(collections)["Counter"] = None\nreturn 1'],
  [
    'through a pattern',
    'import re\nmatch re.findall:\n  case object(__globals__=names): names["_compile"] = None\nreturn 1',
  ],
  ['the runner', 'import runner\nrunner.run_row = runner.dumps = None\nreturn 1'],
  ['what is harmless', 'import harmless\nharmless.is_harmless = lambda _: True\nreturn 1'],
  [
    'through the caller',
    'import sys\nsys._getframe(1).f_globals["dumps"] = None\nsys._getframe(2).f_globals["loads"] = None\nreturn 1',
  ],
  ['an exit handler', 'import atexit\natexit.register(print)\nreturn 1'],
  ['open files', 'import builtins\nbuiltins.leak = [open("/lib/python314.zip") for _ in range(200)]\nreturn 1'],
];

const JAVASCRIPT: Attempt[] = [
  ['the process', 'return process.version'],
  ['a module', 'return require("fs").readFileSync("/etc/passwd")'],
  ['a module that is imported', 'return import("fs").then((fs) => fs.readFileSync("/etc/passwd", "utf8"))'],
  ['a module of the interpreter', 'return import("std").then((std) => std.getenv("PATH"))'],
  ['the constructor of a constructor', 'return this.constructor.constructor("return process")().version'],
  ['the constructor of a function', 'return (async () => {}).constructor("return process")().then((p) => p.version)'],
  ['the host through its function', 'return Math.random.constructor("return process")().version'],
  ['a fetch', 'return fetch("http://127.0.0.1:3000/")'],
  ['a timer', 'return new Promise((resolve) => setTimeout(resolve, 1))'],
  ['a worker', 'return new Worker("data:text/javascript,1")'],
  ['WebAssembly', 'return WebAssembly.Memory.name'],
  ['a large text', 'return "x".repeat(2 ** 29).length'],
  ['a larger text', 'let text = "x"; while (true) text += text;'],
  ['a large list', 'const all = []; while (true) all.push(new Array(1000).fill(0));'],
  ['a large buffer', 'return new ArrayBuffer(2 ** 30).byteLength'],
  ['a large number', 'let n = 3n; while (true) n *= n;'],
  ['an endless loop', 'while (true);'],
  ['an endless loop that catches everything', 'while (true) try { while (true); } catch {}'],
  ['an endless chain of promises', 'const again = () => Promise.resolve().then(again); return again();'],
  ['a promise nobody keeps', 'return new Promise(() => {})'],
  ['a pattern without end', `return /(a+)+$/.test("${'a'.repeat(64)}b")`],
  ['a sort without end', 'return [1, 2].sort(() => { while (true); })'],
  ['deep recursion', 'const f = () => f() + 1; return f();'],
  ['deep nesting', 'let value = []; for (let n = 0; n < 100000; n++) value = [value]; return value;'],
  ['deep code', `return ${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
  ['a search in one step', 'return "a".repeat(4e6).includes("a".repeat(2e6) + "b") || (() => { throw 1; })()'],
  ['the end of the function', 'return 1 }); while (true); (function () {'],
];

const JAVASCRIPT_LEFT: Attempt[] = [
  ['a global', 'leak = 1; globalThis.evil = 2; return 1;'],
  ['a global of a script', '(0, eval)("var leak = 1; let evil = 2"); return 1;'],
  ['prototypes', 'Object.prototype.leak = 1; Array.prototype.leak = 1; return 1;'],
  ['methods', 'Array.prototype.map = Array.prototype.sort = () => "evil"; return 1;'],
  ['JSON', 'JSON.stringify = JSON.parse = () => "evil"; return 1;'],
  ['how values become JSON', 'Object.prototype.toJSON = () => 1; return 1;'],
  ['no globals', 'for (const name of Object.getOwnPropertyNames(globalThis)) delete globalThis[name]; return 1;'],
  ['promises', 'Promise.prototype.then = () => {}; globalThis.Promise = null; return 1;'],
  ['the runner', 'globalThis.start = globalThis.finish = () => ""; return 1;'],
  ['a console', 'console.log = 1; return 1;'],
  ['a frozen world', 'Object.freeze(Object.prototype); Object.freeze(globalThis); return 1;'],
];

const languages: [Language, Attempt[], Attempt[]][] = [
  ['PYTHON', PYTHON, PYTHON_LEFT],
  ['JAVASCRIPT', JAVASCRIPT, JAVASCRIPT_LEFT],
];

describe.each(languages)('%s', (language, attempts, left) => {
  const { code, value } = UNTOUCHED[language];
  const untouched = () => run(language, code, { x: 7 });

  it('finds what it should find', async () => {
    expect(await untouched()).toEqual({ value });
  });

  it.each(attempts)('does not reach or use up %s, and the next call is right', async (_, attempt) => {
    expect(await run(language, attempt)).toEqual({ error: expect.any(String) as string });
    expect(await untouched()).toEqual({ value });
  });

  it.each(left)('leaves nothing behind: %s', async (_, attempt) => {
    await run(language, attempt);
    expect(await untouched()).toEqual({ value });
  });

  it('leaves nothing behind in the other rows of a slice', async () => {
    const all = left.flatMap(([, attempt]) => [run(language, attempt), untouched(), untouched()]);
    const outcomes = await Promise.all(all);
    expect(outcomes.filter((_, index) => index % 3 > 0)).toEqual(left.flatMap(() => [{ value }, { value }]));
  });
});
