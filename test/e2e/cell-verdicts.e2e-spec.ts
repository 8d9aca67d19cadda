import { beforeAll, describe, expect, it } from 'vitest';
import { addColumn, newSheet, settled, type TestSheet, versionOf } from '../support/factories.js';
import type { AskedCall, VendorReply } from '../support/fake-vendors.js';
import { lastMessage, useModelApp } from '../support/model-app.js';

const used = useModelApp();
const LONG = `Is it polite, ${'and so on '.repeat(40)}?`;
let sheet: TestSheet;
let ids: Record<string, string>;

interface Judgement {
  value: boolean;
  yes_count: number;
  question_count: number;
  reasoning: string | null;
}
interface GridPage {
  data: { row_index: number; judgements?: Record<string, Judgement> }[];
  matching_row_count?: number;
}

const answer = (value: boolean, reasoning: string): VendorReply => ({
  text: JSON.stringify({ reasoning, citation: '', value }),
});
/** Rude texts are neither polite nor short. */
const reply = (asked: AskedCall): VendorReply =>
  lastMessage(asked).includes('rude') ? answer(false, `${'No. '.repeat(80)}`) : answer(true, 'It says please.');

beforeAll(async () => {
  used.vendors.reply = reply;
  sheet = await newSheet(used.app.client, ['please', 'rude', null, 'please, please']);
  const add = (title: string, type: string, config: object) =>
    addColumn(used.app.client, sheet, { title, type, config });
  const judged = await add('Judged', 'LLM_ASSERTION', { source: 'Column A', prompt: JSON.stringify([LONG, 'Short?']) });
  const contains = await add('Twice', 'CONTAINS', { source: 'Column A', value: 'please, please' });
  const said = await add('Said', 'TEXT', {});
  await settled(used.app.client, sheet);
  ids = { Judged: judged.id, Twice: contains.id, Said: said.id };
  const cells = [
    { row_index: 0, column: said.id, value: 'no' },
    { row_index: 1, column: said.id, value: { a: { value: 'no' } } },
  ];
  await used.app.client.patch(`${sheet.path}/cells`, { cells });
});

const search = (filters: object[], status = 200) =>
  used.app.client.post(`${sheet.path}/rows/search`, { filter: { filters }, view: 'grid' }, status);
const found = async (...filters: object[]) => ((await search(filters)) as GridPage).data.map((row) => row.row_index);
const verdict = (operator: string, value: unknown, nested_key?: string) => ({
  field: 'cell_verdict',
  operator,
  value,
  ...(nested_key !== undefined && { nested_key }),
});

describe('a filter of rows by the verdicts of their cells', () => {
  it.each<[string, object, number[]]>([
    ['rows a judge said no to', verdict('is', 'no', 'Judged'), [1]],
    ['rows a judge said yes to', verdict('is', 'yes', 'Judged'), [0, 3]],
    ['every other row', verdict('is_not', 'no', 'Judged'), [0, 2, 3]],
    ['a column of booleans', verdict('is', 'false', 'Twice'), [0, 1]],
    ['several verdicts under other names, in any case', verdict('in', ['PASS', 'fail'], 'Judged'), [0, 1, 3]],
    ['any column that judges, but no text', verdict('is', 'no'), [0, 1]],
    ['a text that says no, where its column is named', verdict('is', 'no', 'Said'), [0]],
  ])('finds %s', async (_, filter, rows) => {
    expect(await found(filter)).toEqual(rows);
  });

  it('refuses other verdicts, unknown columns and values that are no names', async () => {
    expect(JSON.stringify(await search([verdict('is', 'noo')], 400))).toContain('Did you mean \\"no\\"');
    for (const value of ['', '\u0000', '\ud800', 'x'.repeat(10_000), 1e300]) await search([verdict('is', value)], 400);
    await search([verdict('is', null)], 400);
    await search([verdict('is', 'no', 'Judgd')], 422);
    await search([verdict('contains', 'no')], 400);
    await (await used.app.stranger()).post(`${sheet.path}/rows/search`, { filter: { filters: [] } }, 404);
  });
});

describe('the grid view of a judged cell', () => {
  const judgementsIn = (page: unknown) =>
    (page as GridPage).data.map(({ row_index: row, judgements }) => [row, judgements?.[0]] as const);

  it('has its verdict and the reason, however long its questions are', async () => {
    const query = `?view=grid&columns=${ids.Judged}`;
    const yes = { value: true, yes_count: 2, question_count: 2, reasoning: 'It says please.' };
    const no = { value: false, yes_count: 0, question_count: 2, reasoning: 'No. '.repeat(80).slice(0, 200) };
    const expected = [
      [0, yes],
      [1, no],
      [2, undefined],
      [3, yes],
    ];
    expect(judgementsIn(await used.app.client.get(`${sheet.path}/rows${query}`))).toEqual(expected);
    expect(judgementsIn(await used.app.client.get(`${sheet.path}/rows${query}&order=desc`))).toEqual(
      expected.toReversed(),
    );
    const version = await versionOf(used.app.client, sheet);
    const past = await used.app.client.get(`${sheet.path}/rows${query}&version=${version}`);
    expect(judgementsIn(past)).toEqual(expected);
  });

  it('is found far from others, by a filter', async () => {
    const body = { view: 'grid', columns: [ids.Judged], filter: { filters: [verdict('is', 'no', 'Judged')] } };
    const page = (await used.app.client.post(`${sheet.path}/rows/search`, body)) as GridPage;
    expect(page.data).toHaveLength(1);
    expect(page.data[0]!.judgements![0]).toMatchObject({ value: false });
  });
});
