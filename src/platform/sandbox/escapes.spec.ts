import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeRunner, type Language } from './code-runner.js';
import type { RowOutcome } from './row-outcome.js';
import { Sandbox } from './sandbox.js';

const owner = { workspaceId: 1, keyId: null };

let sandbox: Sandbox;
let runner: CodeRunner;
beforeAll(() => {
  sandbox = new Sandbox({ processes: 1, codeMs: 1_500 });
  runner = new CodeRunner(sandbox);
});
afterAll(() => sandbox.onApplicationShutdown());

function run(language: Language, code: string, data: object = {}): Promise<RowOutcome> {
  return runner.run({ language, code }, data, owner, new AbortController().signal);
}

/** State that every later call must find, whatever was tried before. */
const UNTOUCHED: Record<Language, { code: string; value: unknown }> = {
  PYTHON: {
    code: [
      'import builtins, codecs, collections, decimal, functools, gc, json, os, re, sys, urllib.parse',
      'left = [name for name in ("leak", "evil") if name in globals() or hasattr(builtins, name) or name in sys.modules]',
      'return [json.dumps({"a": [1, None]}), json.loads("[1]"), len("abc"), sum([1, 2]), re.findall("a", "aa"), left,',
      '        str(collections.Counter("aab")), json.JSONEncoder.__name__, sys.getrecursionlimit(), gc.isenabled(),',
      '        sorted(os.listdir("/tmp")), sorted([3, 1]), "leak" in os.environ, data.get("x"), re.findall("A", "a"),',
      '        str(decimal.Decimal(1) / 3)[:9], urllib.parse.urlsplit("//a/b").netloc, isinstance(1, collections.abc.Sized),',
      '        codecs.lookup("latin-1").name, len(gc.callbacks), print("x", flush=True), functools.reduce(max, [1, 2]),',
      '        sys.getprofile(), sys.gettrace(), "é".encode("ascii", "ignore").decode()]',
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
    ].concat([[], [1, 3], false, 7, [], '0.3333333', 'a', false, 'iso8859-1', 0, null, 2, null, null, ''] as never[]),
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
  [
    'the interpreter by the finder of its modules',
    "import sys\nreturn [f for f in sys.meta_path if 'JsFinder' in type(f).__name__][0].jsproxies['pyodide_js'].version",
  ],
  [
    'a module of the interpreter that is created again',
    'import _imp\nfrom importlib.machinery import ModuleSpec\nreturn str(_imp.create_builtin(ModuleSpec("_pyodide_core", None)))',
  ],
  [
    'a module that reads memory, by its importer',
    'from importlib._bootstrap import BuiltinImporter\nfrom importlib.machinery import ModuleSpec\nreturn str(BuiltinImporter.create_module(ModuleSpec("_ctypes", None)))',
  ],
  [
    'a module that reads memory, through a copy of its finder',
    'import importlib, _imp\nreturn str(importlib.reload(_imp))',
  ],
  ['a module for tests of the interpreter', 'import _testinternalcapi\nreturn 1'],
  ['the memory of other programs', 'import _remote_debugging\nreturn 1'],
  ['all objects', 'import gc\nreturn len(gc.get_objects())'],
  ['those that refer to an object', 'import gc\nreturn len(gc.get_referrers(type))'],
  [
    'names of the host behind its classes',
    [
      'found = [f.__globals__[name] for c in object.__subclasses__() if "yodide" in c.__module__',
      '         for f in vars(c).values() if hasattr(f, "__globals__") for name in list(f.__globals__)]',
      'if found: return str(found)',
      'raise LookupError',
    ].join('\n'),
  ],
  [
    'names of the host behind the frames of a generator',
    [
      'import sys',
      'def frames():',
      '  frame = sys._getframe()',
      '  while frame:',
      '    yield frame',
      '    frame = frame.f_back',
      'found = [name for frame in frames() for name in frame.f_globals if "js" in name.lower().replace("json", "")]',
      'if found: return found',
      'raise LookupError',
    ].join('\n'),
  ],
  [
    'names of the host by a trace of what calls it',
    'import sys\nseen = []\nsys.settrace(lambda frame, *_: seen.append(frame))\nlen(str(1))\nimport js\nreturn 1',
  ],
  ['a web page by a browser', 'import webbrowser\nreturn webbrowser.open("http://127.0.0.1:3000/")'],
  ['a pair of sockets', 'import socket\nreturn str(socket.socketpair())'],
  ['a thread by another module', 'import _thread\nreturn _thread.start_new_thread(print, ())'],
  [
    'a pool of threads',
    'import concurrent.futures as f\nwith f.ThreadPoolExecutor() as e: return list(e.map(abs, [1]))',
  ],
  ['a loop that waits for nothing', 'import asyncio\nasyncio.run(asyncio.Event().wait())\nreturn 1'],
  ['a callback for later', 'import asyncio\nasyncio.get_event_loop().call_later(0, print)\nraise OSError'],
];

/** Code that tries to leave something behind. */
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
  [
    'through the caller',
    'import sys\nsys._getframe(1).f_globals["dumps"] = None\nsys._getframe(2).f_globals["loads"] = None\nreturn 1',
  ],
  [
    'a pattern under a key that lies',
    [
      'import re',
      'class Flags(int):',
      '  __hash__ = lambda self: hash(0)',
      '  __eq__ = lambda self, other: True',
      're.compile("A", Flags(re.I))',
      'return 1',
    ].join('\n'),
  ],
  [
    'a pattern under a key that lies, without a class statement',
    'import re\nF = type("F", (int,), {"__hash__": lambda s: 0, "__eq__": lambda s, o: True})\nre.compile("A", F(2))\nreturn 1',
  ],
  [
    'a cache of a function',
    'import urllib.parse\nurllib.parse.urlsplit.__wrapped__.__globals__["_splitnetloc"] = lambda *_: ("evil", "")\nreturn 1',
  ],
  ['a context of numbers', 'import decimal\ndecimal.getcontext().prec = 2\nreturn 1'],
  ['a class that is said to be another', 'import collections.abc\ncollections.abc.Sized.register(int)\nreturn 1'],
  ['a codec', 'import codecs\ncodecs.register_error("ignore", lambda error: ("evil", error.end))\nreturn 1'],
  ['a callback of garbage collection', 'import gc\ngc.callbacks.append(lambda *_: 1 / 0)\nreturn 1'],
  [
    'an object that acts when it dies',
    'import builtins\nclass C:\n  def __del__(self): builtins.sorted = None\nc = C()\nc.me = c\nreturn 1',
  ],
  [
    'a generator that acts when it dies',
    'import builtins\ndef g():\n  try: yield 1\n  finally: builtins.len = None\none = g()\nnext(one)\nall = [one]\nall.append(all)\nreturn 1',
  ],
  ['a profile', 'import sys\nsys.setprofile(lambda *_: 1 / 0)\nreturn 1'],
  ['an audit hook', 'import sys\ndef hook(*_): raise OSError\nsys.addaudithook(hook)\nreturn 1'],
  ['an import hook', 'import sys\nclass F:\n  def find_spec(self, *_): 1 / 0\nsys.meta_path.insert(0, F())\nreturn 1'],
  ['a path hook', 'import sys\nsys.path_hooks.insert(0, lambda _: 1 / 0)\nsys.path_importer_cache.clear()\nreturn 1'],
  ['how classes are built', 'import builtins\nbuiltins.__build_class__ = builtins.isinstance = None\nreturn 1'],
  ['a signal', 'import signal\nsignal.signal(signal.SIGINT, lambda *_: 1 / 0)\nreturn 1'],
  ['a frame', 'import sys\nsys._getframe(1).f_builtins["sum"] = None\nreturn 1'],
  ['closed streams', 'import os\nfor fd in (0, 1, 2): os.close(fd)\nreturn 1'],
  ['another output', 'import os\nr, w = os.pipe()\nos.dup2(r, 1)\nos.dup2(r, 2)\nreturn 1'],
  ['a running loop', 'import asyncio\nasyncio.events._set_running_loop(asyncio.new_event_loop())\nreturn 1'],
  [
    'a way to copy',
    'import copyreg, json\ncopyreg.dispatch_table[dict] = None\njson.encoder.ESCAPE_DCT["a"] = "evil"\nreturn 1',
  ],
  ['memory that is full', 'import builtins\nbuiltins.leak = bytearray(90 << 20)\nreturn 1'],
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
