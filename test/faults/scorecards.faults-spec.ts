import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient, SheetRef } from '../support/api-client.js';
import { atDepth, deepIt } from '../support/depth.js';
import type { Installation } from '../support/server-processes.js';
import type { ScorecardAnswer } from '../support/scorecards.js';
import { until } from '../support/until.js';
import { textSheet } from './computed-sheet.js';
import { inTheMiddle, OneWorker, startFaultInstallation } from './fault-installation.js';

const ROWS = atDepth(4_000, 12_000);

let server: Installation;
let client: ApiClient;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  ({ server, client } = await startFaultInstallation());
});
afterAll(() => server.close());

const SCORECARD = {
  name: 'Quality',
  aggregation: {},
  steps: [
    { title: 'Has a 7', primitive_type: 'CONTAINS', primitive_config: { source: 'Column A', value: '7' } },
    { title: 'Short', primitive_type: 'COUNT', primitive_config: { source: 'Column A', type: 'chars', max_count: 4 } },
    { title: 'Digits', primitive_type: 'REGEX', primitive_config: { source: 'Column A', regex_pattern: '^[0-9]+$' } },
  ],
};

const read = (sheet: SheetRef) => client.get<ScorecardAnswer>(`${sheet.path}/scorecard`);

/** Results of a calculation, row by row. */
async function results(sheet: SheetRef): Promise<[number, number | null][]> {
  const found: [number, number | null][] = [];
  for (let cursor: number | null = -1; cursor !== null;) {
    const after: string = cursor < 0 ? '' : `&cursor=${cursor}`;
    const page: { rows: { row_index: number; aggregate_score: number | null }[]; next_cursor: number | null } =
      await client.get(`${sheet.path}/scorecard/rows?limit=100${after}`);
    found.push(...page.rows.map((row): [number, number | null] => [row.row_index, row.aggregate_score]));
    cursor = page.next_cursor;
  }
  return found;
}

async function expectComplete(sheet: SheetRef, calculationId: string): Promise<void> {
  await until(async () => !['queued', 'running'].includes((await read(sheet)).latest_calculation?.status ?? 'queued'));
  const { latest_calculation: latest, scorecard } = await read(sheet);
  expect(latest).toMatchObject({ id: calculationId, status: 'completed', error_summary: null });
  expect(scorecard).toMatchObject({ status: 'completed' });
  const score = (row: number) => [`${row}`.includes('7'), `${row}`.length <= 4, true].filter(Boolean).length / 3;
  const found = await results(sheet);
  expect(found.map(([row]) => row)).toEqual(Array.from({ length: ROWS }, (_, row) => row));
  expect(found.filter(([row, value]) => Math.abs(score(row) - value!) > 1e-9)).toEqual([]);
}

async function begin(): Promise<{ sheet: SheetRef; id: string }> {
  const sheet = await textSheet(client, ROWS, (row) => String(row));
  await client.patch(`${sheet.path}/scorecard`, SCORECARD);
  const { calculation_id: id } = await client.post<{ calculation_id: string }>(
    `${sheet.path}/scorecard/recalculate`,
    {},
  );
  return { sheet, id };
}

describe('a scorecard is calculated completely, with a result for every row,', () => {
  deepIt('when the worker that computes its cells is killed', async () => {
    const running = await worker.running();
    const { sheet, id } = await begin();
    await inTheMiddle(async () => {
      const { progress } = await read(sheet);
      return { completed: progress!.scored_rows!, total: progress!.total_rows! };
    });
    await running.kill();
    await worker.running();
    await expectComplete(sheet, id);
  });

  it('when the worker that stores its results is killed', async () => {
    const running = await worker.running();
    const db = new pg.Client(server.databaseUrl);
    await db.connect();
    // A lock blocks writers of results until the worker is gone.
    await db.query('BEGIN');
    await db.query('LOCK TABLE scorecard_rows IN EXCLUSIVE MODE');
    const { sheet, id } = await begin();
    await until(async () => {
      const claimed = 'SELECT FROM scorecard_calculations WHERE id = $1 AND claim IS NOT NULL';
      return (await db.query(claimed, [id])).rowCount === 1;
    });
    await running.kill();
    await db.query('COMMIT');
    await db.end();
    await worker.running();
    await expectComplete(sheet, id);
  });
});
