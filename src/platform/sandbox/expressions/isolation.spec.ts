import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { SandboxLimits } from '../limits.js';
import { onBehalfOf } from '../turn-owner.js';
import { Sandbox } from '../sandbox.js';
import type { EvaluationName, EvaluationOptions } from './evaluations.js';
import { Isolation } from './isolation.js';

const owner = { workspaceId: 1, keyId: null };
const sandbox = new Sandbox({ expressionMs: 700, expressionsMb: 128, processes: 1 });
const isolation = new Isolation(sandbox);
afterAll(() => sandbox.onApplicationShutdown());

const others: Sandbox[] = [];
afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.onApplicationShutdown()));
});

function withLimits(limits: Partial<SandboxLimits>): Isolation {
  const other = new Sandbox(limits);
  others.push(other);
  return new Isolation(other);
}

const run = <K extends EvaluationName>(of: Isolation, name: K, options: EvaluationOptions[K], rows: string[][]) =>
  onBehalfOf(owner, () => of.run(name, options, rows));

describe('Isolation', () => {
  it('gives an outcome for each row in order', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => [JSON.stringify({ a: [index] })]);
    rows[500] = ['{not json'];
    const outcomes = await run(isolation, 'json_path', { path: '$.a[0]', first: true }, rows);
    expect(outcomes).toHaveLength(1000);
    expect(outcomes[499]).toEqual({ value: 499 });
    expect(outcomes[500]).toEqual({ error: expect.stringContaining('not valid JSON') as string });
    expect(outcomes[999]).toEqual({ value: 999 });
  });

  it.each([
    // Every position starts a search to the end of the text.
    ['a quadratic search for matches', 'find_all', { pattern: 'a.*b|a', group: null }, 'ab a', 'a'.repeat(100_000)],
    [
      'a filter that filters in a filter',
      'json_path',
      { path: '$[?count($[?count($[?@ > 0]) > 1]) > 1]', first: false },
      '[1, 2]',
      JSON.stringify(Array.from({ length: 3000 }, (_, index) => index)),
    ],
    [
      'a cubic path',
      'xml_path',
      { path: 'count(//*[count(//*[.=//*]) > 1])', all: false, text: true },
      '<a><b>1</b><b>1</b></a>',
      `<a>${'<b>x</b>'.repeat(3000)}</a>`,
    ],
  ] as const)('fails only the rows that take too long: %s', async (_, name, options, fine, hostile) => {
    const rows = [[fine], [hostile], [fine], [hostile], [fine]];
    const outcomes = await run(isolation, name, options as never, rows);
    const stopped = { error: 'It took longer than 0.7 seconds and was stopped.' };
    expect(outcomes).toEqual([
      { value: expect.anything() as unknown },
      stopped,
      { value: expect.anything() as unknown },
      stopped,
      { value: expect.anything() as unknown },
    ]);
  });

  it('fails only the row that takes too much memory', async () => {
    const many = JSON.stringify(Array.from({ length: 400_000 }, () => [[]]));
    const patient = withLimits({ expressionMs: 20_000, expressionsMb: 32, processes: 1 });
    const options = { path: '$..*', first: false };
    const outcomes = await run(patient, 'json_path', options, [['[1]'], [many], ['[2]']]);
    expect(outcomes).toEqual([{ value: [1] }, { error: 'It needed too much memory and was stopped.' }, { value: [2] }]);
  });

  it('gives up on the rest when too many rows were stopped', async () => {
    const hasty = withLimits({ expressionMs: 400, stoppedRows: 2, processes: 1 });
    const rows = Array.from({ length: 50 }, () => ['a'.repeat(200_000)]);
    const outcomes = await run(hasty, 'find_all', { pattern: 'a.*b|a', group: null }, rows);
    expect(outcomes).toHaveLength(50);
    expect(outcomes.at(-1)).toEqual({ error: 'It was not tried: 2 rows before it had to be stopped.' });
  });

  it('refuses texts above 5 MB', async () => {
    const outcomes = await run(isolation, 'is_xml', {}, [['<a/>'], ['x'.repeat(5_000_001)], ['<a/>']]);
    expect(outcomes.map((outcome) => 'value' in outcome)).toEqual([true, false, true]);
  });

  it('evaluates for one workspace while endless rows of another fill its whole limit', async () => {
    const slow = withLimits({ expressionMs: 60_000, processes: 3 });
    const hostile = [['a'.repeat(1_000_000)]];
    let over = 0;
    const search = () => slow.run('find_all', { pattern: 'a.*b|a', group: null }, hostile).finally(() => over++);
    const running = onBehalfOf({ workspaceId: 1, keyId: null }, () => Array.from({ length: 6 }, search));
    const rows = Array.from({ length: 300 }, () => ['ab']);
    const other = () => slow.run('search', { pattern: 'b' }, rows);
    const outcomes = await onBehalfOf({ workspaceId: 2, keyId: null }, other);
    expect(outcomes).toEqual(rows.map(() => ({ value: true })));
    expect(over).toBe(0);
    await others[0]!.onApplicationShutdown();
    await Promise.allSettled(running);
  });
});
