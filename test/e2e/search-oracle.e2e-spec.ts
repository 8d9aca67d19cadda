import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ArrivalListeners } from '../../src/arrivals/index.js';
import { ProjectionService } from '../../src/requests/search/projection.service.js';
import { Vocabulary } from '../../src/words/vocabulary.js';
import { deleteTraces } from '../../src/traces/expiry/old-traces.queries.js';
import type { Client } from '../support/client.js';
import { atDepth } from '../support/depth.js';
import { llmSpan, sendFrom, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { TraceWorker } from '../support/trace-worker.js';
import { type Asked, documents, isAskedFor, ofTraces, questions, type Said } from './search-oracle.model.js';

const V2 = '/api/public/v2';
const SEED = Number(process.env.SEARCH_SEED ?? Date.now() % 1_000_000);
const COUNTS = { documents: atDepth(40, 200), questions: atDepth(20, 150) };

/** A server whose worker does nothing by itself. */
let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

interface Page {
  items: { trace_id: string }[];
  next_cursor: string | null;
  partial?: true;
}

/** The ids of all traces, or of the traces of all logs, that a search finds; and how many it says there are. */
async function find(client: Client, path: string, body: object): Promise<{ ids: string[]; total: unknown }> {
  const counted = (await client.post(path, { ...body, per_page: 1 })) as { total: number; total_is_exact: boolean };
  const ids: string[] = [];
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page = (await client.post(path, { ...body, limit: 100, cursor })) as Page;
    if (page.partial) throw new Error('The answer is partial.');
    ids.push(...page.items.map(({ trace_id: id }) => id));
    cursor = page.next_cursor;
  }
  return { ids: ids.sort(), total: [counted.total, counted.total_is_exact] };
}

it(`finds what a plain reading of the documents finds, whatever state they are in (SEARCH_SEED=${SEED} repeats it)`, async () => {
  const client = await app.stranger();
  const asked = fc.sample(questions, { numRuns: COUNTS.questions, seed: SEED });
  const known = new Map<string, Said>();

  const add = async (count: number, seed: number) => {
    const added = fc.sample(documents, { numRuns: count, seed }).map((said) => [traceId(), said] as const);
    for (const [id, said] of added) await sendFrom(client, resourceOf(said), [spanOf(id, said)]);
    for (const [id, said] of added) known.set(id, said);
  };
  const indexLogs = () =>
    new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary), new ArrivalListeners()).drain();
  const remove = async (ids: string[]) => {
    const [{ id: workspaceId }] = (await app.sql('SELECT workspace_id AS id FROM traces WHERE trace_id = $1', [
      ids[0],
    ])) as [{ id: number }];
    await app.app.get(DataSource).transaction(async (tx) => {
      await tx.query('DELETE FROM request_logs WHERE workspace_id = $1 AND trace_id = ANY($2)', [workspaceId, ids]);
      await deleteTraces(tx, workspaceId, ids);
    });
    for (const id of ids) known.delete(id);
  };
  const every = (nth: number) => [...known.keys()].filter((_, index) => index % nth === 0);

  await add(COUNTS.documents, SEED);
  // Guards the test itself: questions that all documents answer, or none, would prove little.
  const telling = asked.filter(
    (question) => new Set([...known.values()].map((said) => isAskedFor(question, said))).size > 1,
  );
  expect(telling.length).toBeGreaterThan(asked.length / 4);
  await compare(client, 'all wait', asked, known);
  await indexLogs();
  await compare(client, 'all are indexed', asked, known);
  await add(COUNTS.documents / 2, SEED + 1);
  const worker = new TraceWorker(app);
  for (const id of [...known.keys()].slice(-3)) await worker.claim(id);
  await compare(client, 'a worker has stopped with some in hand', asked, known);
  await remove(every(4));
  await compare(client, 'some were deleted', asked, known);
  await indexLogs();
  await add(COUNTS.documents / 4, SEED + 2);
  await remove(every(5));
  await compare(client, 'some were deleted while they waited', asked, known);
  await indexLogs();
  await compare(client, 'all are indexed again', asked, known);
});

function resourceOf({ origin, environment }: Said): Record<string, string> {
  return { 'tracesheet.origin': origin, ...(environment && { 'deployment.environment.name': environment }) };
}

function spanOf(id: string, { input, output, tag, note }: Said): object {
  const more = { 'promptlayer.tags': JSON.stringify([tag]), 'promptlayer.metadata.note': note };
  return llmSpan({ input, output, more }, { traceId: id, name: '-' });
}

async function compare(
  client: Client,
  state: string,
  asked: readonly Asked[],
  known: ReadonlyMap<string, Said>,
): Promise<void> {
  for (const question of asked) {
    const ids = [...known].flatMap(([id, said]) => (isAskedFor(question, said) ? [id] : [])).sort();
    const expected = { state, question, ids, total: [ids.length, true] };
    const { q, filters } = question;
    for (const [path, group] of [
      [`${V2}/requests/search`, filters],
      [`${V2}/traces/search`, ofTraces(filters)],
    ] as const) {
      const found = await find(client, path, { q, filter_group: { filters: group } });
      expect({ path, state, question, ...found }).toEqual({ path, ...expected });
    }
  }
}
