import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.js';
import { JinjaSandbox, type RenderedTemplate } from './jinja-sandbox.js';
import { Sandbox } from './sandbox.js';

/** Templates and what Jinja2 3.1 makes of them with ChainableUndefined; null where it raises an error. */
const table = JSON.parse(readFileSync(new URL('jinja2-cases.fixture.json', import.meta.url), 'utf8')) as {
  variables: JsonObject;
  cases: { template: string; expected: string | null }[];
};

const owner = { workspaceId: 1, keyId: null };

let processes: Sandbox;
let sandbox: JinjaSandbox;
beforeAll(() => {
  processes = new Sandbox();
  sandbox = new JinjaSandbox(processes);
});
afterAll(() => processes.onApplicationShutdown());

async function render(template: string, variables: JsonObject = {}, renderer = sandbox): Promise<RenderedTemplate> {
  const [result] = await renderer.render([template], variables, owner);
  return result;
}

/** Longer time limits, for tests of results. */
async function withPatience(test: (patient: JinjaSandbox) => Promise<void>): Promise<void> {
  const patient = new Sandbox({ templatesMs: 20_000 });
  try {
    await test(new JinjaSandbox(patient));
  } finally {
    await patient.onApplicationShutdown();
  }
}

describe('what Jinja2 does', () => {
  let results: RenderedTemplate[];
  beforeAll(async () => {
    await withPatience(async (patient) => {
      const templates = table.cases.map(({ template }) => template);
      results = await patient.render(templates, table.variables, owner);
    });
  });

  it.each(table.cases.map(({ template, expected }, index) => ({ template, expected, index })))(
    '$template',
    ({ template, expected, index }) => {
      if (expected === null) {
        expect(results[index]).toMatchObject({ text: template, error: expect.any(String) });
      } else {
        expect(results[index]).toMatchObject({ text: expected, error: null });
      }
    },
  );
});

describe('rendering', () => {
  it('prints a supplied null as nothing, though it is none', async () => {
    const { text } = await render(
      '[{{ a }}][{{ a ~ "x" }}][{{ a | upper }}][{{ a is none }}][{{ a is defined }}][{{ b.c }}]',
      {
        a: null,
        b: { c: null },
      },
    );
    expect(text).toBe('[][x][][True][True][None]');
  });

  it.each([
    ['{{ b }}{{ a.x }}{{ b }}', ['b', 'a']],
    ['{% if a is defined %}{{ a }}{% endif %}{{ b | default("x") }}{{ c.d | d("y") }}', []],
    ['{% if false %}{{ a }}{% endif %}{% if b %}{% endif %}', ['b']],
    ['{% for x in xs %}{{ x }}{% endfor %}{% set y = 1 %}{{ y }}{{ range(2) }}', ['xs']],
    ['{{ known }}{{ known.deep }}', []],
  ])('names what was looked up and not found: %s', async (template, missing) => {
    expect((await render(template, { known: {} })).missing).toEqual(missing);
  });

  it('renders templates of one call apart from each other', async () => {
    const results = await sandbox.render(
      ['{% set _ = list.append(2) %}{{ list }}', '{{ list }}', '{% set x = 1 %}{{ x }}', '{{ x }}', '{{ broken'],
      { list: [1] },
      owner,
    );
    expect(results.map(({ text }) => text)).toEqual(['[1, 2]', '[1]', '1', '', '{{ broken']);
  });

  it('does nothing for no templates', async () => {
    expect(await sandbox.render([], {}, owner)).toEqual([]);
  });

  it('renders templates as the variables are named, whatever the names mean in JavaScript', async () => {
    const variables = JSON.parse(
      '{"__proto__": "p", "constructor": {"constructor": "c"}, "toString": [1]}',
    ) as JsonObject;
    const { text } = await render(
      '{{ __proto__ }}{{ constructor.constructor }}{{ toString }}{{ hasOwnProperty }}',
      variables,
    );
    expect(text).toBe('pc[1]');
  });

  it.each([
    ['NUL', 'a\u0000{{ v }}', 'x\u0000y', 'a\u0000x\u0000y'],
    ['lone surrogates', 'a\ud800{{ v }}', '\udc00', 'a\ud800\udc00'],
    ['an emoji', '😀{{ v | length }}{{ v[0] }}', '😀é', '😀2😀'],
  ])('keeps %s', async (_, template, v, expected) => {
    expect((await render(template, { v })).text).toBe(expected);
  });

  it('takes five megabytes of variables and a template of one', () =>
    withPatience(async (patient) => {
      const long = 'x'.repeat(5_000_000);
      expect((await render('{{ v | length }}', { v: long }, patient)).text).toBe('5000000');
      const template = 'text { with } braces '.repeat(50_000);
      expect((await render(`${template}{{ v }}`, { v: 1 }, patient)).text).toBe(`${template}1`);
    }));

  it('reports too little memory for the variables, and continues afterwards', async () => {
    const many = Array.from({ length: 3_000_000 }, () => ({ a: 1 }));
    expect(await render('{{ v | length }}', { v: many })).toMatchObject({
      text: '{{ v | length }}',
      error: expect.any(String) as string,
    });
    expect((await render('{{ v }}', { v: 1 })).text).toBe('1');
  });
});

describe('variables', () => {
  it.each([
    ['{{ b }}{{ a.x[c] }}{{ b | default(d) }}', ['b', 'a', 'c', 'd']],
    [
      '{% for x in xs if x > low %}{{ x }}{{ loop.index }}{% else %}{{ none_left }}{% endfor %}{{ x }}',
      ['xs', 'low', 'none_left', 'x'],
    ],
    ['{% set a = b %}{{ a }}{% set c %}{{ d }}{% endset %}{{ c }}', ['b', 'd']],
    [
      '{% macro m(a, b=c) %}{{ a }}{{ b }}{{ varargs }}{{ caller() }}{{ e }}{% endmacro %}{{ m(f, g=h) }}',
      ['c', 'e', 'f', 'h'],
    ],
    ['{% with a = b %}{{ a }}{% endwith %}{{ a }}', ['b', 'a']],
    ['{{ range(n) }}{{ namespace(x=y) }}{{ dict() }}{{ true }}{{ none }}', ['n', 'y']],
    [
      '{% if a is divisibleby b %}{{ c if d else e }}{% endif %}{{ {"k": f}["k"] }}{{ [g][h:i] }}',
      ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'],
    ],
    ['{% raw %}{{ a }}{% endraw %}{# {{ b }} #}{% call m(c) %}{{ d }}{% endcall %}', ['m', 'c', 'd']],
    ['no variables', []],
  ])('%s', async (template, names) => {
    expect(await sandbox.variables([template], owner)).toEqual([{ names, error: null }]);
  });

  it('explains why a template does not parse', async () => {
    expect(await sandbox.variables(['{{ a', '{{ b }}'], owner)).toEqual([
      { names: [], error: 'Unexpected end of template' },
      { names: ['b'], error: null },
    ]);
  });
});

describe('templates that mean harm', () => {
  const doubling =
    '{% set ns = namespace(s="x") %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s }}';
  const listDoubling =
    '{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s }}';
  const laughs =
    '{% set ns = namespace(s=["lol"]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}';

  it.each([
    ['nested loops', '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}'],
    [
      'a loop over what it adds to',
      '{% set l = [1] %}{% for a in range(99999) %}{% for x in l %}{% set _ = l.append(x) %}{% endfor %}{% endfor %}',
    ],
    ['a range too long', '{{ range(10**9) | list }}'],
    ['a text too long', '{{ "x" * 10**9 }}'],
    ['a padding too long', '{{ "x".ljust(10**9) }}{{ "%999999999d" | format(1) }}'],
    ['a formatted width too long', '{{ "{:999999999}".format(1) }}'],
    ['a list too long', '{{ [1] * 10**9 }}'],
    ['doubled texts', doubling],
    ['doubled lists', listDoubling],
    ['lists of lists', laughs],
    ['a list inside itself', '{% set l = [] %}{% set _ = l.append(l) %}{{ l }}'],
    ['endless recursion', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}'],
    ['recursion that branches', '{% macro m(n) %}{{ m(n + 1) }}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}'],
    ['a power too large', '{{ 9 ** 999999999 }}'],
    [
      'squares of squares',
      '{% set ns = namespace(n=3) %}{% for i in range(99) %}{% set ns.n = ns.n * ns.n %}{% endfor %}{{ ns.n }}',
    ],
    ['many parentheses', '{{ ' + '('.repeat(100_000)],
    ['many lists', '{{ ' + '['.repeat(100_000) + ']'.repeat(100_000) + ' }}'],
    ['many signs', '{{ ' + '-'.repeat(100_000) + '1 }}'],
    ['many attributes', '{{ a' + '.b'.repeat(100_000) + ' }}'],
    ['many filters', '{{ a' + '|d'.repeat(100_000) + ' }}'],
    ['many blocks', '{% if 1 %}'.repeat(100_000)],
    ['many loops', '{% for x in [1] %}'.repeat(2_000) + '{% endfor %}'.repeat(2_000)],
    ['much output', '{% for x in range(90000) %}{{ "x" * 10000 }}{% endfor %}'],
    ['the constructor of the constructor', '{{ x.constructor.constructor("return process")() }}'],
    ['another template', '{% include "/etc/passwd" %}'],
  ])('%s fail, and the next render works', async (_, template) => {
    const result = await render(template, { x: 'text' });
    expect(result).toMatchObject({ text: template, error: expect.any(String) });
    expect(await render('{{ 6 * 7 }}')).toEqual({ text: '42', missing: [], error: null });
  });

  it.each([
    ['{{ x.__class__.__mro__ }}{{ x.constructor }}{{ x.__proto__ }}{{ x["constructor"]["prototype"] }}', ''],
    ['{{ l.constructor }}{{ l.__proto__ }}{{ l.map }}{{ d.hasOwnProperty }}{{ d.__proto__ }}{{ l.length }}', ''],
    ['{{ range.constructor }}{{ range.call }}{{ joiner().call }}{{ namespace().entries }}', ''],
    ['{{ globalThis }}{{ process }}{{ require }}{{ render }}{{ self.environment }}', ''],
    ['{{ "{0.constructor}".format("x") }}', ''],
    ['{{ x | attr("constructor") }}{{ [x] | map(attribute="constructor") | join }}', ''],
  ])('there is nothing behind %s', async (template, expected) => {
    expect(await render(template, { x: 'text', l: [1], d: {} })).toMatchObject({ text: expected, error: null });
  });

  it.each([
    ['long sums', '{{ ' + '1 + '.repeat(5_000) + '1 }}', '5001'],
    ['many negations', '{{ ' + 'not '.repeat(10_001) + 'true }}', 'False'],
    ['long chains of or', '{{ ' + 'a or '.repeat(50) + '1 }}', '1'],
    ['nesting people write', '{{ ' + '('.repeat(20) + '1' + ')'.repeat(20) + ' }}', '1'],
    ['deep statements', '{% if 1 %}'.repeat(15) + 'x' + '{% endif %}'.repeat(15), 'x'],
    [
      'recursion with an end',
      '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{% endif %}.{% endmacro %}{{ f(20) }}',
      '.'.repeat(21),
    ],
  ])('%s are no harm', async (_, template, expected) => {
    await withPatience(async (patient) => {
      expect(await render(template, {}, patient)).toMatchObject({ text: expected, error: null });
    });
  });

  it('keeps nothing of one call for the next', async () => {
    await render('{% set a = 1 %}{% set _ = d.update({"k": 2}) %}{% macro m() %}x{% endmacro %}', { d: {} });
    expect((await render('{{ a }}{{ m is defined }}{{ d }}')).text).toBe('False');
  });

  it('lets fifty calls succeed while one loops', async () => {
    const loop = '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}';
    const calls = Array.from({ length: 50 }, (_, index) => render(index === 3 ? loop : 'call {{ n }}', { n: index }));
    const results = await Promise.all(calls);
    expect(results.filter(({ error }) => error !== null)).toHaveLength(1);
    results.splice(3, 1);
    expect(results.map(({ text }) => text)).toContain('call 49');
  });

  it('shares one deadline among the templates of a call', async () => {
    const loop = '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}';
    const results = await sandbox.render(['{{ 1 }}', loop, '{{ 2 }}'], {}, owner);
    expect(results.map(({ text, error }) => [text, error])).toEqual([
      ['1', null],
      [loop, 'The templates took too long.'],
      ['{{ 2 }}', 'The templates took too long.'],
    ]);
  });

  it('replaces a process that cannot be interrupted, and loses no other call', async () => {
    // Searching a text is one step to the interpreter, and this search takes hours.
    const search = '{% set n = "a" * 2000000 ~ "b" %}{{ n in "a" * 4000000 }}';
    const calls = [search, search, ...Array.from({ length: 20 }, () => '{{ 1 }}')].map((template) => render(template));
    const results = await Promise.all(calls);
    expect(results.slice(0, 2).map(({ error }) => error)).toEqual(Array(2).fill('The templates took too long.'));
    expect(results.slice(2).every(({ text }) => text === '1')).toBe(true);
  });

  it('refuses calls once it is closed', async () => {
    const ended = new Sandbox();
    const closed = new JinjaSandbox(ended);
    await closed.render(['x'], {}, owner);
    await ended.onApplicationShutdown();
    await expect(closed.render(['x'], {}, owner)).rejects.toThrow('closed');
  });
});
