import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, editCell, newSheet, type TestSheet, versionOf } from '../support/factories.js';
import { calculateScore, configureScore } from '../support/scores.js';
import { TestApp } from '../support/test-app.js';
import { nameVersion } from '../support/versions.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

interface Point {
  version_id: string;
  version_number: number;
  version_name: string | null;
  name: string | null;
  score: number;
  score_type: string;
  created_at: string;
  changes: Record<string, number> | null;
}
interface History {
  points: Point[];
  total_points: number;
  returned_points: number;
  resolution: string;
  range: string;
  max_points: number;
  is_sampled: boolean;
}

async function historyOf(sheet: Pick<TestSheet, 'path'>, query = ''): Promise<History> {
  const answer = await me.get(`${sheet.path}/versions/score-history${query}`);
  return (answer as { score_history: History }).score_history;
}

async function write(sheet: TestSheet, row: number, value: unknown): Promise<void> {
  await editCell(me, sheet, (await cellsOf(me, sheet, sheet.columnId))[row]!, { value });
}

/** A sheet with a configured score. */
async function graded(...grades: number[]): Promise<TestSheet> {
  const sheet = await newSheet(me, grades.map(String));
  await configureScore(me, sheet, { score_type: 'numeric', column_names: ['Column A'] });
  return sheet;
}

/** A sheet with so many versions, of which those have a score for which `scoreAt` gives one. */
async function withVersions(count: number, scoreAt: (version: number) => number | null): Promise<TestSheet> {
  const sheet = await newSheet(me);
  const scores = Array.from({ length: count }, (_, at) => scoreAt(at + 1));
  await app.sql(
    `INSERT INTO sheet_versions (workspace_id, sheet_id, number, id, rows, deltas)
     SELECT s.workspace_id, s.id, n, gen_random_uuid(), s.rows, '[{"type": "cell.update"}]'
       FROM sheets s, generate_series(1, $2::int) n WHERE s.id = $1`,
    [sheet.id, count],
  );
  await app.sql(
    `INSERT INTO version_scores (workspace_id, sheet_id, version, score, score_type, source, calculated_at)
     SELECT s.workspace_id, s.id, g.version, g.score, 'single_column', 'score', now()
       FROM sheets s, unnest($2::float8[]) WITH ORDINALITY AS g (score, version) WHERE s.id = $1 AND g.score IS NOT NULL`,
    [sheet.id, scores],
  );
  await app.sql('UPDATE sheets SET version = $2 WHERE id = $1', [sheet.id, count]);
  return sheet;
}

describe('the history of a score', () => {
  it('has a point for every version that was scored, with its name, the oldest first', async () => {
    const sheet = await graded(2, 4);
    await calculateScore(me, sheet);
    await write(sheet, 0, '6');
    const named = await nameVersion(me, sheet, 'Better');
    await calculateScore(me, sheet);
    await write(sheet, 0, '7');
    const { points, ...history } = await historyOf(sheet);
    expect(history).toEqual({
      total_points: 2,
      returned_points: 2,
      resolution: 'raw',
      range: 'all',
      max_points: 1200,
      is_sampled: false,
    });
    expect(points.map(({ score, name }) => [score, name])).toEqual([
      [3, null],
      [5, 'Better'],
    ]);
    expect(points[1]).toMatchObject({
      version_id: named.id,
      version_number: named.version_number,
      version_name: 'Better',
      score_type: 'single_column',
      created_at: expect.any(String),
    });
  });

  it('has one point for a version that was scored again, the newest', async () => {
    const sheet = await graded(2, 4);
    await calculateScore(me, sheet);
    await calculateScore(me, sheet);
    expect((await historyOf(sheet)).points).toHaveLength(1);
  });

  it('says what has changed since the point before', async () => {
    const sheet = await graded(2, 4);
    await calculateScore(me, sheet);
    await write(sheet, 0, '6');
    await write(sheet, 1, '8');
    await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
    await me.post(`${sheet.path}/rows`, { count: 3 }, 201);
    await me.request('DELETE', `${sheet.path}/rows`, { row_indices: [4] });
    await calculateScore(me, sheet);
    const { points } = await historyOf(sheet);
    expect(points.map(({ changes }) => changes)).toEqual([
      null,
      { columns: 1, rows: 4, cells: 2, executions: 0, prompt_versions: 0 },
    ]);
  });

  it('has no point for a calculation that failed or that had nothing to score', async () => {
    const sheet = await newSheet(me, ['a text']);
    await configureScore(me, sheet, { column_names: ['Column A'] });
    expect((await calculateScore(me, sheet)).status).toBe('completed');
    await configureScore(me, sheet, { code: 'throw 1', code_language: 'JAVASCRIPT' });
    expect((await calculateScore(me, sheet)).status).toBe('failed');
    expect(await historyOf(sheet)).toMatchObject({ points: [], total_points: 0, returned_points: 0 });
  });

  it('is empty for a sheet without scores', async () => {
    const sheet = await newSheet(me);
    expect(await historyOf(sheet, '?resolution=min_max_bucket')).toMatchObject({ points: [], is_sampled: false });
  });
});

describe('a long history', () => {
  it('keeps every extreme when it is sampled, and sums up what changed in between', async () => {
    const peak = 777;
    const sheet = await withVersions(3000, (version) => (version === peak ? 5 : (version % 10) / 10));
    const history = await historyOf(sheet, '?max_points=100');
    expect(history).toMatchObject({
      total_points: 3000,
      resolution: 'min_max_bucket',
      is_sampled: true,
      max_points: 100,
    });
    expect(history.returned_points).toBe(history.points.length);
    expect(history.points.length).toBeLessThanOrEqual(100);
    const numbers = history.points.map((point) => point.version_number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect([numbers[0], numbers.at(-1)]).toEqual([1, 3000]);
    expect(numbers).toContain(peak);
    const changed = history.points.map(({ changes }) => changes?.cells ?? 0);
    expect(changed.reduce((sum, cells) => sum + cells, 0)).toBe(2999);
  });

  it.each<[string, Partial<History>, number[]]>([
    ['?resolution=raw&max_points=50', { resolution: 'raw', total_points: 200, is_sampled: true }, [301, 399]],
    ['?max_points=200', { resolution: 'raw', total_points: 200, is_sampled: false }, [1, 399]],
    ['?range=last_100', { range: 'last_100', total_points: 50, is_sampled: false }, [301, 399]],
    ['?range=last_25&resolution=raw', { range: 'last_25', total_points: 12 }, [377, 399]],
    [
      '?range=last_250&max_points=50',
      { resolution: 'min_max_bucket', total_points: 125, is_sampled: true },
      [151, 399],
    ],
  ])('%s', async (query, expected, [first, last]) => {
    // Every second of 400 versions has a score.
    const sheet = await withVersions(400, (version) => (version % 2 === 1 ? version / 400 : null));
    const history = await historyOf(sheet, query);
    expect(history).toMatchObject(expected);
    expect([history.points[0]!.version_number, history.points.at(-1)!.version_number]).toEqual([first, last]);
  });
});

describe('a question for a history', () => {
  it.each([
    'max_points=49',
    'max_points=5001',
    'max_points=x',
    'max_points=1.5',
    'max_points=99999999999999999999',
    'range=last_10',
    'range=ALL',
    'resolution=median',
    'resolution=',
  ])('is refused with %s', async (query) => {
    const sheet = await newSheet(me);
    const answer = await me.request('GET', `${sheet.path}/versions/score-history?${query}`);
    expect([answer.status, answer.body]).toMatchObject([400, { success: false, message: expect.any(String) }]);
  });

  it('takes the bounds and ignores what it does not know', async () => {
    const sheet = await newSheet(me);
    for (const query of ['max_points=50', 'max_points=5000', 'per_page=3']) await historyOf(sheet, `?${query}`);
  });

  it('is for sheets that exist', async () => {
    const sheet = await newSheet(me);
    const nowhere = sheet.path.replace(sheet.id, randomUUID());
    expect((await me.request('GET', `${nowhere}/versions/score-history`)).status).toBe(404);
    expect(await versionOf(me, sheet)).toBe(0);
  });
});
