import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import type { Client } from '../support/client.js';
import { addCount, cellsOf, editCell, importLogs, newSheet, settled, versionOf } from '../support/factories.js';
import { addressOf, type Frame, LiveSocket, tokenFor } from '../support/live.js';
import { llmSpan, send, span, spanId, traceId } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const CHANNEL = 'workspace:changes';

let app: TestApp;
let me: Client;
/** Another process, which serves requests and computes nothing. */
let other: NestFastifyApplication;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
  other = await createApp({ config: app.config, works: false });
});
afterAll(async () => {
  await other.close();
  await app.stop();
});

interface Change {
  kind: string;
  id?: string;
  version?: number;
  count?: number;
}

const opened: LiveSocket[] = [];
afterEach(() => opened.splice(0).forEach((each) => each.close()));

/** Follows a workspace in the other process and collects its changes. */
async function follow(client: Client) {
  const live = await LiveSocket.connect(await addressOf(other), (await tokenFor(client, CHANNEL)).token);
  opened.push(live);
  expect(await live.ask({ subscribe: { channel: CHANNEL } })).toEqual({ id: 2, subscribe: {} });
  const changesOf = ({ push }: Frame) => (push?.pub.data.data as unknown as { changes: Change[] } | undefined)?.changes;
  const all = () => live.frames.flatMap((frame) => changesOf(frame) ?? []);
  await until(() => Promise.resolve(all().length > 0));
  expect(all()).toEqual([{ kind: 'everything' }]);
  const told = (wanted: Change) => until(() => Promise.resolve(all().some((each) => isLike(each, wanted))));
  const sumOf = (kind: string) => all().reduce((sum, each) => sum + (each.kind === kind ? each.count! : 0), 0);
  return { all, told, sumOf };
}

const isLike = (change: Change, wanted: Change) =>
  Object.entries(wanted).every(([key, value]) => change[key as keyof Change] === value);

it('sums up spans and requests that arrive in another process', async () => {
  const { all, sumOf } = await follow(me);
  const trace = traceId();
  const spans = Array.from({ length: 5 }, () => span({ traceId: trace, spanId: spanId() }));
  await Promise.all(spans.map((each) => send(me, [each])));
  await send(me, [llmSpan({}, { traceId: trace, spanId: spanId() })]);
  // Spans that are already stored are not counted again.
  await send(me, spans);
  await until(() => Promise.resolve(sumOf('spans') === 6 && sumOf('requests') === 1));
  expect(all().filter(({ kind }) => kind === 'spans').length).toBeLessThan(6);
});

it('reports versions of sheets, and operations that have ended', async () => {
  const sheet = await newSheet(me, ['one']);
  await addCount(me, sheet, 'Length');
  await settled(me, sheet);
  const { told } = await follow(me);
  const [cell] = await cellsOf(me, sheet, sheet.columnId);
  await editCell(me, sheet, cell!, { value: 'two' });
  await told({ kind: 'sheet', id: sheet.id, version: await versionOf(me, sheet) });
  const body = { operation: 'recalculate', statuses: [] };
  const { operation_id: id } = (await me.post(`${sheet.path}/operations`, body, 202)) as { operation_id: string };
  await told({ kind: 'operation', id });
  const imported = await importLogs(me, sheet, { filter_group: { filters: [] } });
  await told({ kind: 'operation', id: imported.operation_id });
});

it('reports the end of an export', async () => {
  const { told } = await follow(me);
  const wish = { source: 'traces', format: 'jsonl' };
  const { export: made } = (await me.post('/api/public/v2/exports', wish, 202)) as { export: { id: string } };
  await told({ kind: 'export', id: made.id });
});

it('reports nothing of another workspace', async () => {
  const stranger = await app.stranger();
  const theirs = await follow(stranger);
  const mine = await follow(me);
  const sheet = await newSheet(me, ['one']);
  await mine.told({ kind: 'sheet', id: sheet.id });
  await send(stranger, [span({ traceId: traceId(), spanId: spanId() })]);
  await theirs.told({ kind: 'spans', count: 1 });
  expect(theirs.all()).toEqual([{ kind: 'everything' }, { kind: 'spans', count: 1 }]);
});
