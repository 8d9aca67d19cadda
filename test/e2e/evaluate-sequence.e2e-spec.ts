import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atDepth } from '../support/depth.js';
import { type Case, type ClientKind, Evaluation, JAVASCRIPT, NEWER_PYTHON, PYTHON } from '../support/evaluation.js';
import { readDataset } from '../support/evaluation-dataset.js';
import { addColumn, type Column, settled } from '../support/factories.js';
import { newTable, sheetFromFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());

const CASES: Case[] = [
  { input: 'Capital of France?', expected: 'Paris', output: 'Paris', tools: ['search'], expectedTools: ['search'] },
  { input: 'Capital of Spain?', expected: 'Madrid', output: 'Seville', tools: ['search'], expectedTools: ['search'] },
  { input: '{"city":"Oslo"}', expected: 'Norway', output: 'Norway', tools: [], expectedTools: ['search'] },
];

const KINDS: [name: string, kind: ClientKind][] = [
  ['JavaScript', JAVASCRIPT],
  ['Python', PYTHON],
  ['newer Python', NEWER_PYTHON],
];

describe.each(atDepth(KINDS.slice(0, 1), [...KINDS]))('the evaluation of the client for %s', (language, kind) => {
  const titles = ['input', 'expected', kind.expectedTrace, 'Output', 'Trace'];
  /** Number of blank rows in a new sheet. */
  const blankRows = kind.sheetsFromFile ? 0 : 1;
  const length = (columns: Record<string, Column>) => ({
    title: 'Length',
    type: 'COUNT',
    config: { source: kind.reference(columns.Output!), type: 'chars' },
    dependencies: [{ column_id: columns.Output!.id, reference_type: 'value', config_key: 'source' }],
  });
  const same = (columns: Record<string, Column>) => ({
    title: 'Same',
    type: 'CODE_EXECUTION',
    config: kind.scorer,
    dependencies: ['Output', 'expected'].map((title) => ({ column_id: columns[title]!.id, reference_type: 'value' })),
  });

  /** The steps that clients send for each of their scorers. */
  const steps = (columns: Record<string, Column>) => {
    const [input, expected, output, trace] = ['input', 'expected', 'Output', 'Trace'].map(
      (title) => columns[title]!.id,
    );
    const compared = { comparison_type: { type: 'STRING' } };
    const step = (
      title: string,
      primitive_type: string,
      primitive_config: object,
      ...source_column_ids: unknown[]
    ) => ({
      title,
      primitive_type,
      primitive_config,
      source_column_ids,
    });
    const expectedTrace = columns[kind.expectedTrace]!.id;
    return [
      step('exact', 'COMPARE', { sources: [output, expected], ...compared }, output, expected),
      step('contains', 'CONTAINS', { source: output, value: 'a' }, output),
      step('regex', 'REGEX', { source: output, regex_pattern: '^[A-Z].*' }, output),
      step('valid', 'ASSERT_VALID', { source: input, type: 'object' }, input),
      step('short', 'COUNT', { source: output, type: 'chars', max_count: 6 }, output),
      step('code', 'CODE_EXECUTION', kind.scorer, output, expected),
      step(
        'Trajectory',
        'TRAJECTORY',
        { trace_source: trace, mode: 'non_strict', expected_source: expectedTrace },
        trace,
        expectedTrace,
      ),
      step('five', 'COMPARE', { sources: [columns.Length!.id], ...compared, target: '5' }, columns.Length!.id),
    ];
  };

  async function evaluated(tableId?: string, cases = CASES) {
    const evaluation = new Evaluation(app.client, kind, `Capitals ${language}`);
    await evaluation.findSheet(tableId);
    const fields = Object.keys(cases[0]!.fields ?? {});
    await evaluation.addColumns([...titles.slice(0, 3), ...fields, ...titles.slice(3)], [length, same]);
    const blank = await evaluation.deleteBlankRows();
    await evaluation.configure(steps(evaluation.columns));
    await evaluation.note('running', cases.length);
    for (const each of cases) await evaluation.run(each);
    await evaluation.note('completed', cases.length);
    const operations = await evaluation.recalculate(['Length', 'Same']);
    const scored = await evaluation.score();
    return { evaluation, blank, operations, scored, rows: await evaluation.readAll(2) };
  }

  it('runs in a new table from the first to the last call', async () => {
    const { evaluation, blank, operations, scored, rows } = await evaluated();
    expect(blank).toBe(1);
    expect(operations).toEqual([
      expect.objectContaining({
        status: 'completed',
        completed_count: 6,
        failed_count: 0,
        pending_count: 0,
        cell_count: 6,
      }),
    ]);
    const [yes, no] = [true, false];
    expect(scored.cases).toEqual([
      { exact: yes, contains: yes, regex: yes, valid: no, short: yes, code: yes, Trajectory: yes, five: yes },
      { exact: no, contains: no, regex: yes, valid: no, short: no, code: no, Trajectory: yes, five: no },
      { exact: yes, contains: yes, regex: yes, valid: yes, short: yes, code: yes, Trajectory: no, five: no },
    ]);
    expect(scored.score).toBeCloseTo(5 / 8, 10);
    const ids = Object.fromEntries(rows.columns.map(({ title, id }) => [title, id]));
    expect(Object.keys(ids)).toEqual([...titles, 'Length', 'Same', 'Trace.price', 'Trace.latency']);
    const values = (title: string) => rows.data.map(({ cells }) => cells[ids[title]!]!.value);
    expect(values('input')).toEqual(CASES.map(({ input }) => input));
    expect(values('Output')).toEqual(CASES.map(({ output }) => output));
    expect(values(kind.expectedTrace)).toEqual(CASES.map(({ expectedTools }) => JSON.stringify([expectedTools])));
    expect(values('Length')).toEqual([5, 7, 6]);
    expect(values('Same')).toEqual([true, false, true]);
    expect(values('Trace')).toEqual(CASES.map(() => expect.objectContaining({ name: `Eval: ${evaluation.name}` })));
    expect(values('Trace.latency')).toEqual([50, 50, 50]);
    for (const price of values('Trace.price')) expect(price).toBeGreaterThan(0);
    expect(rows.metrics.latency_ms).toMatchObject({ count: 3, sum: 150 });
  });

  it('finds its table again, and takes a sheet of its own in it', async () => {
    const first = await evaluated();
    const second = await evaluated();
    expect(second.evaluation.table.id).toBe(first.evaluation.table.id);
    expect(second.evaluation.sheet.id).not.toBe(first.evaluation.sheet.id);
    expect(second.blank).toBe(blankRows);
    expect(second.rows.data).toHaveLength(3);
    const compared = await second.evaluation.compareWith(first.evaluation);
    const same = { n: 3, unpaired: 0, difference: 0, verdict: 'noise', conclusion: 'too_few_rows' };
    expect(compared).toMatchObject({ matched_by: titles.slice(0, 3), aggregate: same, unmatched_step_ids: [] });
    expect(Object.keys(compared.criteria)).toHaveLength(8);
  });

  it('runs in a table that is given by its id', async () => {
    const { id } = await newTable(app.client, true);
    const { evaluation, blank, rows } = await evaluated(id);
    expect(evaluation.table.id).toBe(id);
    expect(blank).toBe(blankRows);
    expect(rows.columns.map(({ title }) => title).slice(0, 5)).toEqual(titles);
    expect(rows.data).toHaveLength(CASES.length);
  });

  it('takes its cases from a sheet', async () => {
    const rows = Array.from({ length: 230 }, (_, index) => {
      const { input, expected, expectedTools } = CASES[index % CASES.length]!;
      return [`${index}: ${input}`, expected, JSON.stringify([expectedTools]), `topic ${index}`];
    });
    const table = await newTable(app.client);
    const header = ['input', 'expected', kind.expectedTrace, 'topic'];
    const csv = [header, ...rows]
      .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join())
      .join('\n');
    const { id: sheetId } = (await sheetFromFile(app.client, table.sheets, csv)).sheet;
    const dataset = { path: `${table.sheets}/${sheetId}`, tableId: table.id, id: sheetId, columnId: '' };
    await addColumn(app.client, dataset, { title: 'Loud', type: 'COUNT', config: { source: 'input', type: 'chars' } });
    await settled(app.client, dataset);
    const read = await readDataset(app.client, kind, { tableId: table.id, sheetId });
    expect(read).toEqual(
      rows.map(([input, expected, trace, topic]) => ({
        input,
        expected,
        expectedTrace: JSON.parse(trace!),
        fields: { topic },
      })),
    );
    expect(await readDataset(app.client, kind, { tableId: table.id })).toEqual(read);
    const cases = read.slice(0, 2).map(({ input, expected, fields }, index) => {
      const { output, tools, expectedTools } = CASES[index]!;
      const given = { input: String(input), expected: String(expected) };
      return { ...given, output, tools, expectedTools, fields: fields as Record<string, string> };
    });
    const { scored, rows: evaluatedRows } = await evaluated((await newTable(app.client, true)).id, cases);
    expect(scored.cases).toMatchObject([
      { exact: true, code: true },
      { exact: false, code: false },
    ]);
    const topic = evaluatedRows.columns.find(({ title }) => title === 'topic')!;
    expect(evaluatedRows.data.map(({ cells }) => cells[topic.id]!.value)).toEqual(['topic 0', 'topic 1']);
  });
});
