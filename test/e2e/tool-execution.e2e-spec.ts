import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import {
  createTool,
  definitionOf,
  executionOf,
  type Language,
  saveVersion,
  testExecute,
  TOOLS,
} from '../support/tools.js';

let app: TestApp;
let me: Client;
let tool: number;
beforeAll(async () => {
  app = await TestApp.start({ works: false, env: { SANDBOX_PROCESSES: '1' } });
  me = app.client;
  tool = await createTool(me, 'run');
});
afterAll(() => app.stop());

const run = (language: Language, code: string, inputs: object = {}) =>
  testExecute(me, tool, { inputs, execution: executionOf(language, code) });

/** The same in both languages. */
type Code = Record<Language, string>;
const LANGUAGES: Language[] = ['python', 'javascript'];

describe.each(LANGUAGES)('the code of a tool in %s', (language) => {
  const same = (code: Code, inputs: object = {}) => run(language, code[language], inputs);

  it('gets its inputs and gives a result', async () => {
    const code = { python: "return {'sum': args['a'] + args['b']}", javascript: 'return { sum: args.a + args.b };' };
    expect(await same(code, { a: 1, b: 2 })).toEqual({
      status: 'success',
      result: { sum: 3 },
      stdout: '',
      stderr: '',
      duration_ms: expect.any(Number),
      error: null,
    });
  });

  it('is the body of the function that the definition names, and can call it', async () => {
    const code = {
      python: "return 1 if args['n'] < 2 else args['n'] * fact_orial({'n': args['n'] - 1})",
      javascript: 'return args.n < 2 ? 1 : args.n * fact_orial({ n: args.n - 1 });',
    };
    const body = {
      inputs: { n: 5 },
      execution: executionOf(language, code[language]),
      tool_definition: definitionOf('fact-orial'),
    };
    expect(await testExecute(me, tool, body)).toMatchObject({ status: 'success', result: 120 });
  });

  it('prints on two streams', async () => {
    const code = {
      python: 'import sys\nprint("one", 2)\nprint("bad", file=sys.stderr)\nreturn None',
      javascript: 'console.log("one", 2); console.error("bad"); return null;',
    };
    expect(await same(code)).toMatchObject({ status: 'success', result: null, stdout: 'one 2\n', stderr: 'bad\n' });
  });

  it('keeps 100,000 characters of what it prints', async () => {
    const code = {
      python: 'for _ in range(1000): print("x" * 1000)\nreturn 1',
      javascript: 'for (let i = 0; i < 1000; i++) console.log("x".repeat(1000)); return 1;',
    };
    const { stdout, result } = await same(code);
    expect([stdout.length, result]).toEqual([100_000, 1]);
  });

  it('gives nothing when it returns nothing', async () => {
    expect(await same({ python: 'x = 1', javascript: 'const x = 1;' })).toMatchObject({
      status: 'success',
      result: null,
    });
  });

  it('fails with what it throws, and keeps what it printed before', async () => {
    const code = {
      python: 'print("before")\nraise ValueError("not today")',
      javascript: 'console.log("before");\nthrow new RangeError("not today");',
    };
    expect(await same(code)).toMatchObject({
      status: 'error',
      result: null,
      stdout: 'before\n',
      error: {
        type: language === 'python' ? 'ValueError' : 'RangeError',
        message: expect.stringMatching(/^not today \(line 2\)$/),
      },
    });
  });

  it.each([
    ['that cannot be parsed', { python: 'return (', javascript: 'return (;' }, 'SyntaxError'],
    [
      'that names what there is not',
      { python: 'return nothing', javascript: 'return nothing;' },
      /^(Name|Reference)Error$/,
    ],
    ['that returns what is no JSON', { python: 'return {1, 2}', javascript: 'return () => 1;' }, 'TypeError'],
    ['that returns NaN', { python: 'return float("nan")', javascript: 'return NaN;' }, /^(Value|Type)Error$/],
    [
      'that wants too much memory',
      { python: 'return len([0] * 10**9)', javascript: 'return "x".repeat(3e8).length;' },
      /^(MemoryError|InternalError)$/,
    ],
    [
      'that recurses for ever',
      { python: 'def f(): return f()\nreturn f()', javascript: 'const f = () => f(); return f();' },
      /^(RecursionError|InternalError|RangeError)$/,
    ],
    ['that leaves', { python: 'import sys\nsys.exit(3)', javascript: 'throw null;' }, /^(SystemExit|Error)$/],
  ] as [string, Code, string | RegExp][])('fails as a result and not as an answer: code %s', async (_, code, type) => {
    const { status, error } = await same(code);
    expect([status, error]).toEqual(['error', { type: expect.stringMatching(type), message: expect.any(String) }]);
  });

  it('is ended with 502 when it never ends, and the next one runs', async () => {
    const code = { python: 'while True: pass', javascript: 'for (;;);' };
    const body = { execution: executionOf(language, code[language]) };
    const endless = () => me.post(`${TOOLS}/${tool}/test-execute`, body, 502);
    expect(await app.withSettings({ toolTimeLimitMs: 2000 }, endless)).toMatchObject({
      success: false,
      error: 'tool_timeout',
      message: expect.stringContaining('2 seconds'),
    });
    expect(await same({ python: 'return 1', javascript: 'return 1;' })).toMatchObject({ result: 1 });
  });

  it('leaves nothing behind for the next one', async () => {
    const leave = {
      python: 'import builtins, os, json\nbuiltins.left = 1\nos.environ["LEFT"] = "1"\njson.left = 1\nreturn 1',
      javascript: 'globalThis.left = 1; process.env.LEFT = "1"; Array.prototype.left = 1; return 1;',
    };
    const look = {
      python:
        'import builtins, os, json\nreturn [hasattr(builtins, "left"), "LEFT" in os.environ, hasattr(json, "left")]',
      javascript: 'return [typeof left !== "undefined", "LEFT" in process.env, "left" in []];',
    };
    await same(leave);
    expect(await same(look)).toMatchObject({ result: [false, false, false] });
  });

  it('finds the variables of the workspace and, instead of those, its own', async () => {
    const own = await createTool(me, `env in ${language}`);
    const [shared, both] = [`SHARED_${language}`, `BOTH_${language}`];
    await me.post('/api/public/v2/env-vars', { key: shared, value: 'of the workspace ü🎉' }, 201);
    await me.post('/api/public/v2/env-vars', { key: both, value: 'of the workspace' }, 201);
    const variables = `${TOOLS}/${own}/env-vars`;
    const added = (await me.post(variables, { key: both, value: 'of the tool' }, 201)) as {
      tool_env_var: { id: number };
    };
    await me.post(variables, { key: 'EMPTY' }, 201);
    const code = {
      python: `import os\nreturn [os.environ["${shared}"], os.environ["${both}"], os.environ["EMPTY"]]`,
      javascript: `return [process.env.${shared}, process.env.${both}, process.env.EMPTY];`,
    };
    const body = { execution: executionOf(language, code[language]) };
    expect(await testExecute(me, own, body)).toMatchObject({ result: ['of the workspace ü🎉', 'of the tool', ''] });
    await me.delete(`${variables}/${added.tool_env_var.id}`);
    expect(await testExecute(me, own, body)).toMatchObject({
      result: ['of the workspace ü🎉', 'of the workspace', ''],
    });
    const names = { python: 'import os\nreturn sorted(os.environ)', javascript: 'return Object.keys(process.env);' };
    const other = await run(language, names[language]);
    expect(other.result).not.toContain('EMPTY');
    const stranger = await app.stranger();
    const theirs = await createTool(stranger, 'theirs');
    const execution = executionOf(language, names[language]);
    expect(await testExecute(stranger, theirs, { execution })).toMatchObject({ status: 'success' });
    const { result } = await testExecute(stranger, theirs, { execution });
    expect((result as string[]).filter((key) => /SHARED|BOTH|EMPTY/.test(key))).toEqual([]);
  });

  it('reaches neither files nor the network nor the server', async () => {
    const code = {
      python: 'import socket\nsocket.create_connection(("127.0.0.1", 80), 1)',
      javascript: 'return typeof fetch + typeof require + typeof process.exit;',
    };
    const outcome = await same(code);
    if (language === 'python') expect(outcome.status).toBe('error');
    else expect(outcome.result).toBe('undefinedundefinedundefined');
  });

  it('keeps odd texts, and long integers where the language has them', async () => {
    const inputs = { text: 'ü\u2028"\\ \u0007 🎉', nested: { a: [[[1]]] } };
    const code = { python: 'return args', javascript: 'return args;' };
    expect((await same(code, inputs)).result).toEqual(inputs);
    const execution = JSON.stringify(executionOf(language, code[language]));
    const json = `{"inputs": {"n": 9007199254740993}, "execution": ${execution}}`;
    const client = me.with({ 'content-type': 'application/json' });
    const { bytes } = await client.request('POST', `${TOOLS}/${tool}/test-execute`, json);
    expect(bytes.toString()).toContain(language === 'python' ? '9007199254740993' : '9007199254740992');
  });
});

describe('a JavaScript tool', () => {
  it('may wait for what it promises itself', async () => {
    expect(await run('javascript', 'return (await Promise.resolve(2)) + 1;')).toMatchObject({ result: 3 });
    expect(await run('javascript', 'return new Promise(() => {});')).toMatchObject({
      status: 'error',
      error: { message: expect.stringContaining('never settles') },
    });
    expect(await run('javascript', 'return Promise.reject(new TypeError("no"));')).toMatchObject({
      error: { type: 'TypeError' },
    });
  });
});

describe('a test of a tool', () => {
  it('runs the version that is asked for: that of a label before a number, by default the latest', async () => {
    const id = await createTool(me, 'chosen', { execution: executionOf('javascript', 'return 1;') });
    const url = `${TOOLS}/${id}/versions`;
    const next = (code: string) =>
      me.post(url, { tool_definition: definitionOf('chosen'), execution: executionOf('javascript', code) }, 201);
    await next('return 2;');
    await next('return 3;');
    await me.put(`/api/admin/v1/workspaces/1/tools/${id}/labels/prod`, { version_number: 2 });
    const resultOf = async (query: string) => {
      const answer = (await me.post(`${TOOLS}/${id}/test-execute${query}`, {})) as { result: { result: unknown } };
      return answer.result.result;
    };
    expect(await resultOf('')).toBe(3);
    expect(await resultOf('?version=1')).toBe(1);
    expect(await resultOf('?label=prod')).toBe(2);
    expect(await resultOf('?label=prod&version=1')).toBe(2);
    await me.post(`${TOOLS}/${id}/test-execute?label=nowhere`, {}, 404);
    await me.post(`${TOOLS}/${id}/test-execute?version=9`, {}, 404);
  });

  it('needs code and the name of a function', async () => {
    const id = await createTool(me, 'without code');
    expect(await me.post(`${TOOLS}/${id}/test-execute`, {}, 400)).toMatchObject({ error: 'tool_not_executable' });
    expect(await me.post(`${TOOLS}/${id}/test-execute`, undefined, 400)).toMatchObject({
      error: 'tool_not_executable',
    });
    const execution = executionOf('python', 'return 1');
    await saveVersion(me, id, { type: 'function' });
    expect(await me.post(`${TOOLS}/${id}/test-execute`, { execution }, 400)).toMatchObject({
      error: 'tool_function_unnamed',
    });
    await me.post(`${TOOLS}/nowhere/test-execute`, { execution }, 404);
  });

  it.each([
    [{ inputs: [] }],
    [{ inputs: 'x' }],
    [{ inputs: null }],
    [{ execution: { type: 'code' } }],
    [{ execution: 'code' }],
    [{ tool_definition: 7 }],
  ])('is refused: %j', async (body) => {
    await me.post(`${TOOLS}/${tool}/test-execute`, body, 422);
  });

  it('is not fooled by a name that is code', async () => {
    for (const language of LANGUAGES) {
      const tool_definition = definitionOf('x(args): return 666 #\n//');
      const execution = executionOf(language, 'return 1');
      expect(await testExecute(me, tool, { tool_definition, execution })).toMatchObject({ result: 1 });
    }
  });

  it('runs beside others', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, n) => run(LANGUAGES[n % 2]!, 'return args', { n })),
    );
    expect(results.map(({ result }) => result)).toEqual(Array.from({ length: 6 }, (_, n) => ({ n })));
  });
});
