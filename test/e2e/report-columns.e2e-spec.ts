import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  columnsByName,
  contains,
  evaluated,
  newDataset,
  newReport,
  previewed,
  readReport,
  type ReportColumn,
  runReport,
  type TestDataset,
} from '../support/evaluations.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let stranger: Client;
let dataset: TestDataset;

beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  stranger = await app.stranger();
  dataset = await newDataset(me, [
    { question: 'Refund?', answer: 'We refund it.' },
    { question: 'Why?', answer: 'No.' },
  ]);
});
afterAll(() => app.stop());

const count = (name: string, source: string) => ({
  column_type: 'COUNT',
  name,
  configuration: { source, type: 'chars' },
});

async function add(id: number, column: object): Promise<ReportColumn> {
  const answer = (await me.post('/report-columns', { report_id: id, ...column }, 201)) as {
    report_column: ReportColumn;
  };
  return answer.report_column;
}

async function edit(column: ReportColumn, change: object): Promise<ReportColumn> {
  const { report_id, column_type } = column;
  const answer = (await me.patch(`/report-columns/${column.id}`, { report_id, column_type, ...change })) as {
    report_column: ReportColumn;
  };
  return answer.report_column;
}

const names = async (id: number) => (await readReport(me, id)).report_columns.map(({ name }) => name).join(' ');

async function preview(id: number): Promise<unknown[][]> {
  await previewed(me, id);
  return evaluated(me, id);
}

describe('adding a column to a pipeline', () => {
  it('appends it, and computes its preview', async () => {
    const { id } = await newReport(me, dataset);
    expect(await add(id, contains('Refund', 'refund'))).toEqual({
      id: expect.any(Number),
      report_id: id,
      column_type: 'CONTAINS',
      name: 'Refund',
      position: 2,
      is_part_of_score: false,
      configuration: { source: 'answer', value: 'refund' },
    });
    expect(await preview(id)).toEqual([[true], [false]]);
  });

  it('inserts it at its position, and the others move to the right', async () => {
    const { id } = await newReport(me, dataset, [count('A', 'answer'), count('B', 'A')]);
    expect(await add(id, { ...count('C', 'answer'), position: 2 })).toMatchObject({ position: 2 });
    expect(await add(id, { ...count('D', 'A'), position: 99 })).toMatchObject({ position: 5 });
    expect(await names(id)).toBe('question answer C A B D');
    expect(await preview(id)).toEqual([
      [13, 13, 2, 2],
      [3, 3, 1, 1],
    ]);
  });

  it('is refused where that is not possible', async () => {
    const { id } = await newReport(me, dataset, [count('A', 'answer')]);
    const refused = async (column: object, status: number) =>
      ((await me.post('/report-columns', { report_id: id, ...column }, status)) as { message: string }).message;
    expect(await refused({ ...count('B', 'answer'), position: 0 }, 403)).toMatch(
      'You can not overwrite dataset columns',
    );
    expect(await refused(count('A', 'answer'), 400)).toMatch('Report already has a column with that name');
    expect(await refused(count('question', 'answer'), 400)).toMatch('Report already has a column with that name');
    expect(await refused({ ...count('B', 'A'), position: 2 }, 400)).toMatch('does not stand to its left');
    expect(await refused(count('B', 'B'), 400)).toMatch('does not stand to its left');
    expect(await refused(count('B', 'a'), 400)).toMatch('which is no column');
    expect(await refused({ ...count('B', 'A'), column_type: 'SPELL' }, 400)).toMatch('no type of an evaluation column');
    expect(await refused({ ...count('B', 'A'), configuration: { source: 'A', type: 'pages' } }, 400)).toMatch('"B"');
    await refused({ ...count('B', 'A'), position: -1 }, 422);
    await refused({ ...count('B', 'A'), report_id: 0 }, 422);
    expect(await refused({ ...count('B', 'A'), report_id: 999_999 }, 404)).toMatch('Report 999999 was not found');
    await stranger.post('/report-columns', { report_id: id, ...count('B', 'A') }, 404);
    expect(await names(id)).toBe('question answer A');
  });

  it('gives one of two equal names to one of two who ask at once', async () => {
    const { id } = await newReport(me, dataset);
    const body = { report_id: id, ...contains('Twice', 'x') };
    const answers = await Promise.all([
      me.request('POST', '/report-columns', body),
      me.request('POST', '/report-columns', body),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  });
});

describe('changing a column of a pipeline', () => {
  it('recomputes it and everything to the right', async () => {
    const { id } = await newReport(me, dataset, [count('A', 'answer'), count('B', 'A')]);
    const { A } = await columnsByName(me, id);
    const changed = await edit(A!, { configuration: { source: 'answer', type: 'words' } });
    expect(changed).toMatchObject({ id: A!.id, name: 'A', position: 2, configuration: { type: 'words' } });
    expect(await preview(id)).toEqual([
      [3, 1],
      [1, 1],
    ]);
  });

  it('gives it another type, name and place', async () => {
    const { id } = await newReport(me, dataset, [count('A', 'answer'), count('B', 'answer')]);
    const { A } = await columnsByName(me, id);
    const configuration = { source: 'answer', value: 'refund' };
    const changed = await edit(A!, { column_type: 'contains', name: 'Refund', configuration, position: 3 });
    expect(changed).toMatchObject({ column_type: 'CONTAINS', name: 'Refund', position: 3, configuration });
    expect(await names(id)).toBe('question answer B Refund');
    expect(await preview(id)).toEqual([
      [13, true],
      [3, false],
    ]);
  });

  it('renames it in the configurations that name it', async () => {
    const { id } = await newReport(me, dataset, [count('A', 'answer'), count('B', 'A')]);
    const { A } = await columnsByName(me, id);
    await edit(A!, { name: 'Length', configuration: null, position: null });
    expect((await columnsByName(me, id)).B!.configuration).toEqual({ source: 'Length', type: 'chars' });
    expect(await preview(id)).toEqual([
      [13, 2],
      [3, 1],
    ]);
  });

  it('is refused where that is not possible', async () => {
    const { id } = await newReport(me, dataset, [count('A', 'answer'), count('B', 'A')]);
    const other = await newReport(me, dataset, [count('A', 'answer')]);
    const { A, B, question } = await columnsByName(me, id);
    const refused = async (column: ReportColumn, change: object, status: number) => {
      const body = { report_id: id, column_type: 'COUNT', ...change };
      return ((await me.patch(`/report-columns/${column.id}`, body, status)) as { message: string }).message;
    };
    expect(await refused(A!, { position: 3 }, 400)).toMatch('"B" names "A" as source');
    expect(await refused(B!, { position: 2 }, 400)).toMatch('does not stand to its left');
    expect(await refused(B!, { position: 1 }, 403)).toMatch('You can not overwrite dataset columns');
    expect(await refused(B!, { name: 'A' }, 400)).toMatch('already has a column with that name');
    expect(await refused(A!, { configuration: { source: 'B', type: 'chars' } }, 400)).toMatch(
      'does not stand to its left',
    );
    expect(await refused(question!, { name: 'x' }, 403)).toMatch('dataset columns');
    await refused(A!, { report_id: other.id }, 404);
    await refused({ ...A!, id: 999_999 }, {}, 404);
    const mine = { report_id: id, column_type: 'COUNT', name: 'Mine' };
    await stranger.patch(`/report-columns/${A!.id}`, mine, 404);
    expect(await names(id)).toBe('question answer A B');
  });
});

describe('deleting a column of a pipeline', () => {
  it('moves the others to the left and recomputes them', async () => {
    const { id } = await newReport(me, dataset, [count('A', 'answer'), count('B', 'answer'), count('C', 'B')]);
    const { A, B, answer } = await columnsByName(me, id);
    expect(await me.delete(`/report-columns/${A!.id}`, 204)).toBe('');
    expect(await names(id)).toBe('question answer B C');
    expect((await columnsByName(me, id)).C!.position).toBe(3);
    await me.delete(`/report-columns/${B!.id}`, 204);
    const [[message]] = (await preview(id)) as [[string]];
    expect(message).toMatch('was deleted');
    // Pipelines cannot run when one of their columns reads a deleted one.
    expect(await me.post(`/reports/${id}/run`, { name: 'Run' }, 400)).toMatchObject({
      message: expect.stringMatching('"C" names "B"') as string,
    });
    await me.delete(`/report-columns/${A!.id}`, 404);
    await me.delete(`/report-columns/${answer!.id}`, 403);
    await stranger.delete(`/report-columns/${(await columnsByName(me, id)).C!.id}`, 404);
  });

  it('is possible while its preview is computed', async () => {
    const slow = {
      column_type: 'CODE_EXECUTION',
      name: 'Slow',
      configuration: { code: 'x = 0\nfor i in range(3000000): x += i\nreturn x', language: 'python' },
    };
    const { id } = await newReport(me, dataset, [slow, count('Length', 'answer')]);
    const { Slow } = await columnsByName(me, id);
    await me.delete(`/report-columns/${Slow!.id}`, 204);
    expect(await preview(id)).toEqual([[13], [3]]);
  });
});

describe('the columns of a run', () => {
  it('cannot be changed', async () => {
    const { id } = await newReport(me, dataset, [count('A', 'answer')]);
    const run = await runReport(me, id);
    const [question, , A] = run.report_columns;
    const report_id = run.report.id;
    for (const column of [question!, A!]) {
      await me.patch(`/report-columns/${column.id}`, { report_id, column_type: 'COUNT', name: 'x' }, 403);
      await me.delete(`/report-columns/${column.id}`, 403);
    }
    await me.post('/report-columns', { report_id, ...count('B', 'answer') }, 403);
  });
});
