import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { activeOperation, askColumn, freshTexts, recalculate } from '../support/external-cells.js';
import { addCount, importLogs, newSheet, readAll, settled, TABLES, type TestSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { calculateScorecard } from '../support/scorecards.js';
import { calculateScore, configureScore } from '../support/scores.js';
import { importFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import WaitingModule from '../support/waiting.extension.js';
import { WaitingService } from '../support/waiting-service.js';

const OPERATIONS = '/api/public/v2/sheet-operations';
const IMPORTS = '/api/public/v2/sheet-imports';
const SCORES = '/api/public/v2/sheet-scores';
const LISTS = [OPERATIONS, IMPORTS, SCORES];

interface Job {
  operation_id: string;
  operation?: string;
  status: string;
  table_id: string;
  sheet_id: string;
  sheet_title: string;
  started_by: string | null;
  created_at: string;
  finished_at: string | null;
  status_url: string;
}

interface Scored {
  sheet_id: string;
  version: number;
  sheet_version: number;
  score: number;
  verdict: string | null;
  n: number | null;
  confidence_interval: { low: number; high: number; method: string } | null;
  calculated_at: string;
}

let app: TestApp;
let me: Client;
let service: WaitingService;
beforeAll(async () => {
  service = await WaitingService.start();
  app = await TestApp.start({ extensions: [WaitingModule] });
  me = app.client;
  await logCall(me, {});
});
afterAll(async () => {
  service.release();
  await app.stop();
  await service.stop();
});

const jobs = async (list: string, client = me) => readAll<Job>(client, list.includes('?') ? list : `${list}?limit=100`);
const jobsOf = async (list: string, sheet: TestSheet, client = me) =>
  (await jobs(list, client)).filter(({ sheet_id: id }) => id === sheet.id);
const scores = () => readAll<Scored>(me, `${SCORES}?limit=100`);

async function issueKey(role: string): Promise<Client> {
  const issued = await me.post('/api/admin/v1/workspaces/1/api-keys', { name: `A ${role}`, role }, 201);
  return app.clientWith((issued as { secret: string }).secret);
}

describe('what is computed in all sheets', () => {
  it('is listed with its sheet, how far it is and who wanted it, until it is cancelled', async () => {
    service.delayMs = null;
    const editor = await issueKey('contributor');
    const sheet = await newSheet(me, freshTexts(3));
    await askColumn(editor, sheet, service.url);
    await until(() => Promise.resolve(service.held === 3));
    const id = await activeOperation(me, sheet);
    const [job, ...others] = await jobsOf(`${OPERATIONS}?status=active`, sheet);
    expect(others).toEqual([]);
    expect(job).toMatchObject({
      operation_id: id,
      operation: 'recalculate',
      status: 'running',
      table_id: sheet.tableId,
      table_title: 'Test',
      started_by: 'A contributor',
      cell_count: 3,
      completed_count: 0,
      finished_at: null,
    });
    expect(await jobsOf(`${OPERATIONS}?status=completed`, sheet)).toEqual([]);
    await me.delete(job!.status_url);
    expect(await jobsOf(`${OPERATIONS}?status=active`, sheet)).toEqual([]);
    const [cancelled] = await jobsOf(`${OPERATIONS}?status=cancelled`, sheet);
    expect(cancelled).toMatchObject({
      operation_id: id,
      status: 'cancelled',
      finished_at: expect.any(String) as string,
    });
    service.reset();
  });

  it('distinguishes calculations of a scorecard from recalculations by people', async () => {
    const sheet = await newSheet(me, ['a', 'bb']);
    await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    await recalculate(me, sheet, { force: true });
    await settled(me, sheet);
    await calculateScorecard(me, sheet, [short(5)]);
    const listed = await jobsOf(OPERATIONS, sheet);
    expect(listed.map(({ operation, status }) => [operation, status])).toEqual([
      ['scorecard', 'completed'],
      ['recalculate', 'completed'],
      ['recalculate', 'completed'],
    ]);
    expect(new Set(listed.map(({ started_by: by }) => by))).toEqual(new Set(['First key']));
    expect((await me.get(listed[0]!.status_url)) as object).toMatchObject({ operation: { status: 'completed' } });
  });

  it('leaves out sheets that are deleted, with their table or alone', async () => {
    const [one, other] = [await newSheet(me, ['a']), await newSheet(me, ['a'])];
    for (const sheet of [one, other]) {
      await addCount(me, sheet, 'Length');
      await settled(me, sheet);
      expect(await jobsOf(OPERATIONS, sheet)).toHaveLength(1);
    }
    await me.delete(`${TABLES}/${one.tableId}`);
    expect(await jobsOf(OPERATIONS, one)).toEqual([]);
    expect(await jobsOf(OPERATIONS, other)).toHaveLength(1);
  });
});

describe('imports into all sheets', () => {
  it('are listed with what they brought and who wanted them', async () => {
    const [sheet, failing] = [await newSheet(me), await newSheet(me)];
    const id = 'mine/ä?';
    await importLogs(me, sheet, { filter_group: { filters: [] }, operation_id: id });
    await importFile(me, failing.path, 'a\n1\n2,3\n');
    const [done] = await jobsOf(IMPORTS, sheet);
    expect(done).toMatchObject({
      operation_id: id,
      source: 'request_logs',
      status: 'completed',
      progress: 100,
      rows_added: 1,
      started_by: 'First key',
      finished_at: expect.any(String) as string,
    });
    expect(await me.get(done!.status_url)).toMatchObject({ operation: { operation_id: id } });
    const [failed] = await jobsOf(`${IMPORTS}?status=failed`, failing);
    expect(failed).toMatchObject({ source: 'file', status: 'failed', rows_added: null });
    expect(await jobsOf(`${IMPORTS}?status=active`, failing)).toEqual([]);
  });
});

/** A step of a scorecard that at most so many characters pass. */
const short = (most: number) => ({
  title: 'Short',
  primitive_type: 'COUNT',
  primitive_config: { source: 'Column A', type: 'chars', max_count: most },
});

describe('scores of all sheets', () => {
  it('are the newest of each, with an interval where a scorecard has found them', async () => {
    const [judged, scored] = [await newSheet(me, ['a', 'bb', 'ccc', 'dddd']), await newSheet(me, ['a', 'bb'])];
    const length = await addCount(me, scored, 'Length');
    await settled(me, scored);
    await configureScore(me, scored, { column_ids: [length.id] });
    await calculateScore(me, scored);
    await calculateScorecard(me, judged, [short(5)]);
    await calculateScorecard(me, judged, [short(2)]);
    await me.post(`${judged.path}/rows`, {}, 201);
    const listed = await scores();
    const of = ({ id }: TestSheet) => listed.filter(({ sheet_id: sheet }) => sheet === id);
    expect(of(scored)).toMatchObject([{ score_type: 'single_column', score: 1.5, verdict: null, n: null }]);
    expect(of(scored)[0]!.confidence_interval).toBeNull();
    const [found] = of(judged);
    expect(found).toMatchObject({ score_type: 'scorecard', score: 0.5, n: 4, verdict: expect.any(String) as string });
    expect(found!.confidence_interval!.low).toBeLessThan(0.5);
    expect(found!.sheet_version).toBe(found!.version + 1);
    const times = listed.map(({ calculated_at: at }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
  });
});

describe('every list', () => {
  beforeAll(async () => {
    for (let sheets = 0; sheets < 3; sheets++) {
      const sheet = await newSheet(me, ['a']);
      await importLogs(me, sheet, { filter_group: { filters: [] } });
      await calculateScorecard(me, sheet, [short(5)]);
    }
  });

  it('has pages without gaps, in both directions', async () => {
    for (const list of LISTS) {
      const key = ({ operation_id: id, sheet_id: sheet }: Job) => id ?? sheet;
      const all = (await jobs(list)).map(key);
      expect(all.length).toBeGreaterThanOrEqual(3);
      expect((await jobs(`${list}?limit=1`)).map(key)).toEqual(all);
      expect((await jobs(`${list}?limit=2&order=asc`)).map(key)).toEqual(all.toReversed());
    }
  });

  it('is of one workspace, and open to every role', async () => {
    const [stranger, viewer] = [await app.stranger(), await issueKey('viewer')];
    for (const list of LISTS) {
      expect(await jobs(list, stranger)).toEqual([]);
      expect((await jobs(list, viewer)).length).toBeGreaterThan(0);
    }
  });

  it('refuses cursors of other lists and unknown states', async () => {
    const cursorOf = async (list: string) =>
      encodeURIComponent(((await me.get(`${list}?limit=1`)) as { next_cursor: string }).next_cursor);
    const [operations, imports, scored] = await Promise.all(LISTS.map(cursorOf));
    for (const url of [
      `${OPERATIONS}?cursor=${imports}`,
      `${OPERATIONS}?cursor=${operations}&status=completed`,
      `${OPERATIONS}?cursor=${operations}&order=asc`,
      `${IMPORTS}?cursor=${operations}`,
      `${SCORES}?cursor=${operations}`,
      `${IMPORTS}?cursor=${scored}`,
      `${SCORES}?cursor=%00`,
    ]) {
      expect(await me.get(url, 400)).toMatchObject({ error: 'cursor_invalid' });
    }
    for (const url of [`${OPERATIONS}?status=stale`, `${IMPORTS}?status=cancelled`, `${SCORES}?limit=0`]) {
      await me.get(url, 422);
    }
  });
});
