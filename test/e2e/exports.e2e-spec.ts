import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  download,
  EXPORTS,
  type ExportAnswer,
  finishedExport,
  lines,
  readExport,
  startExport,
} from '../support/exports.js';
import { at, llmSpan, logCall, send, span } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

async function customerWith(...calls: { model?: string; output?: string }[]): Promise<Client> {
  const me = await app.stranger();
  await send(
    me,
    calls.map((call, index) => llmSpan(call, at(index))),
  );
  return me;
}

const toArrayBuffer = (bytes: Buffer) =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
const parquetRows = (bytes: Buffer) => parquetReadObjects({ file: toArrayBuffer(bytes) });

describe('an export of request logs', () => {
  it('holds every log, newest first, with its facts, texts and JSON', async () => {
    const me = await customerWith({ output: 'Old' }, { model: 'gpt-4o', output: 'New' });
    const file = await download(me, { source: 'requests', format: 'jsonl' });
    const [newest, oldest] = lines(file.bytes);
    expect(newest).toMatchObject({
      request_start_time: '2026-05-28T20:26:41.000000Z',
      latency_ms: 1500,
      status: 'SUCCESS',
      provider: 'openai',
      model: 'gpt-4o',
      input_tokens: 3,
      price: expect.any(Number),
      prompt_name: null,
      tags: [],
      metadata: {},
      scores: {},
      output_text: 'New',
      input: { type: 'chat' },
    });
    expect(oldest).toMatchObject({ output_text: 'Old' });
    expect(Object.keys(newest!)).toEqual(file.export.columns);
    expect(file.export).toMatchObject({ progress: 100, row_count: 2, total: 2 });
  });

  it('contains only items that match the filters, the words and the limit', async () => {
    const me = await customerWith({ output: 'apple' }, { model: 'gpt-4o', output: 'pear' }, { output: 'apple pie' });
    const outputs = async (wish: object) => {
      const { bytes } = await download(me, { source: 'requests', format: 'jsonl', columns: ['output_text'], ...wish });
      return lines(bytes).map((line) => line.output_text);
    };
    const model = (value: string) => ({ field: 'engine', operator: 'is', value });
    expect(await outputs({ filter_group: { filters: [model('gpt-4o')] } })).toEqual(['pear']);
    expect(await outputs({ filters: [model('gpt-4o-mini')], q: 'pie' })).toEqual(['apple pie']);
    expect(await outputs({ limit: 2 })).toEqual(['apple pie', 'pear']);
    expect(await outputs({ filters: [model('nobody')] })).toEqual([]);
  });

  it('has the columns that were asked for, in that order, each once', async () => {
    const me = await customerWith({ output: 'Hello' });
    const columns = ['output_text', 'request_start_time', 'output_text', 'model'];
    const { bytes } = await download(me, { source: 'requests', format: 'csv', columns });
    expect(bytes.toString()).toBe(
      'output_text,request_start_time,model\r\nHello,2026-05-28T20:26:40.000000Z,gpt-4o-mini\r\n',
    );
  });

  it('says the same in every format, compressed or not', async () => {
    const texts = ['plain', 'a "quoted", text\r\nin lines', 'ünïcode 🎉 \u0000', ''];
    const me = await customerWith(...texts.map((output) => ({ output })));
    const columns = ['request_id', 'request_start_time', 'price', 'output_text', 'metadata', 'sanitized', 'prompt_id'];
    const [json, zipped, parquet, smaller] = await Promise.all(
      [
        { format: 'jsonl' },
        { format: 'jsonl', compression: 'gzip' },
        { format: 'parquet' },
        { format: 'parquet', compression: 'gzip' },
      ].map((wish) => download(me, { source: 'requests', columns, ...wish })),
    );
    expect(gunzipSync(zipped!.bytes)).toEqual(json!.bytes);
    expect(zipped!.headers['content-type']).toBe('application/gzip');
    expect(zipped!.headers['content-disposition']).toMatch(/^attachment; filename="requests-[\w-]+\.jsonl\.gz"$/);
    const rows = lines(json!.bytes);
    expect(rows.map((row) => row.output_text)).toContain('a "quoted", text\r\nin lines');
    const inParquet = rows.map((row) => ({
      ...row,
      metadata: JSON.stringify(row.metadata),
      request_id: BigInt(row.request_id as number),
      request_start_time: new Date(row.request_start_time as string),
    }));
    expect(await parquetRows(parquet!.bytes)).toEqual(inParquet);
    const { row_groups: groups } = parquetMetadata(toArrayBuffer(smaller!.bytes));
    expect(new Set(groups.flatMap(({ columns: of }) => of.map((column) => column.meta_data!.codec)))).toEqual(
      new Set(['GZIP']),
    );
  });

  it('has a header and nothing else when nothing matches', async () => {
    const me = await app.stranger();
    const wish = { source: 'requests', columns: ['model', 'price'] };
    expect((await download(me, { ...wish, format: 'csv' })).bytes.toString()).toBe('model,price\r\n');
    expect((await download(me, { ...wish, format: 'jsonl' })).bytes).toHaveLength(0);
    expect(await parquetRows((await download(me, { ...wish, format: 'parquet' })).bytes)).toEqual([]);
  });

  it('carries a message of 10 MB in every format', async () => {
    const long = `${'x'.repeat(990)} "quoted"\n`.repeat(10_000);
    const me = await app.stranger();
    for (const output of [long, 'short']) await logCall(me, { output }, at(output.length % 7));
    const wish = { source: 'requests', columns: ['output_text', 'output'] };
    const json = lines((await download(me, { ...wish, format: 'jsonl' })).bytes);
    const texts = json.map((row) => row.output_text as string);
    expect(texts.toSorted((a, b) => a.length - b.length)).toEqual(['short', long]);
    const parquet = await parquetRows((await download(me, { ...wish, format: 'parquet' })).bytes);
    expect(parquet.map((row) => row.output_text as string)).toEqual(texts);
    const csv = (await download(me, { ...wish, columns: ['output_text'], format: 'csv' })).bytes;
    expect(csv.toString()).toContain(`"${long.replaceAll('"', '""')}"\r\n`);
  });
});

describe('cells of a CSV', () => {
  const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '=1\n+2'];

  it('get an apostrophe where a spreadsheet would run them, unless the caller does not want that', async () => {
    const me = await customerWith(...formulas.map((output) => ({ output })), { output: 'a-b=c' });
    const wish = { source: 'requests', format: 'csv', columns: ['output_text'] };
    const cells = (bytes: Buffer) => bytes.toString().split('\r\n').slice(1, -1).toReversed();
    expect(cells((await download(me, wish)).bytes)).toEqual([...formulas.map((text) => `"'${text}"`), 'a-b=c']);
    expect(cells((await download(me, { ...wish, escape_formulas: false })).bytes)).toEqual([
      ...formulas.slice(0, -1),
      '"=1\n+2"',
      'a-b=c',
    ]);
  });

  it('distinguish an empty text from null, and follow a byte order mark on request', async () => {
    const me = await customerWith({ output: '' });
    const wish = { source: 'requests', format: 'csv', columns: ['output_text', 'error_type', 'model'], bom: true };
    expect((await download(me, wish)).bytes.toString()).toBe(
      '\uFEFFoutput_text,error_type,model\r\n"",,gpt-4o-mini\r\n',
    );
  });
});

describe('exports of traces and spans', () => {
  it('have a row per trace and per span, as they are read one by one', async () => {
    const me = await app.stranger();
    const root = span({ name: 'agent', ...at(0) });
    const links = [{ traceId: root.traceId, spanId: root.spanId }];
    const events = [{ name: 'tick', timeUnixNano: '1780000000000001000' }];
    const call = llmSpan({}, { traceId: root.traceId, parentSpanId: root.spanId, events, links, ...at(1) });
    await send(me, [root, call]);

    const [trace] = lines((await download(me, { source: 'traces', format: 'jsonl' })).bytes);
    expect(trace).toMatchObject({
      trace_id: root.traceId,
      name: 'agent',
      start_time: '2026-05-28T20:26:40.000000Z',
      end_time: '2026-05-28T20:26:42.500000Z',
      duration_ms: 2500,
      span_count: 2,
      total_tokens: 5,
      closed: false,
    });
    const spans = lines((await download(me, { source: 'spans', format: 'jsonl' })).bytes);
    const { spans: read } = (await me.get(`/api/public/v2/traces/${String(root.traceId)}`)) as {
      spans: Record<string, unknown>[];
    };
    for (const [index, exported] of spans.toReversed().entries()) {
      const { status, ...shown } = read[index]!;
      const { status_code, status_message, ...same } = exported;
      expect({ ...same, status: { status_code, description: status_message } }).toEqual({ ...shown, status });
    }
    expect(spans).toHaveLength(2);
    expect(await parquetRows((await download(me, { source: 'spans', format: 'parquet' })).bytes)).toHaveLength(2);
  });
});

describe('the file of an export', () => {
  it('is as long as announced and has the announced checksum', async () => {
    const me = await customerWith({}, {});
    const { bytes, headers, export: done } = await download(me, { source: 'requests', format: 'csv' });
    expect(done.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(bytes).toHaveLength(done.bytes);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      etag: `"${done.sha256}"`,
      'content-length': String(done.bytes),
      'content-type': 'text/csv; charset=utf-8',
    });
  });

  it('is in several chunks when it is large, and gone when it expires', async () => {
    const me = await customerWith({ output: 'x'.repeat(3 * MIB) });
    const file = await download(me, { source: 'requests', format: 'jsonl', columns: ['output_text'] });
    expect(lines(file.bytes)[0]!.output_text).toHaveLength(3 * MIB);
    const chunks = () => app.sql('SELECT 1 FROM export_chunks WHERE export_id = $1', [file.export.id]);
    expect(await chunks()).toHaveLength(4);
    await app.sql(`UPDATE exports SET expires_at = now() - interval '1 second' WHERE id = $1`, [file.export.id]);
    await app.sweep('export-expiry');
    expect(await readExport(me, file.export)).toMatchObject({ status: 'expired' });
    expect(await chunks()).toEqual([]);
    expect(await me.get(file.export.download_url, 410)).toMatchObject({ error: 'export_expired' });
    await app.sql(`UPDATE exports SET expires_at = now() - interval '8 days' WHERE id = $1`, [file.export.id]);
    await app.sweep('export-expiry');
    await me.get(file.export.status_url, 404);
  });

  it('is not made when it would be larger than the server allows', async () => {
    const small = await TestApp.start({ env: { EXPORT_MAX_BYTES: '2000' } });
    try {
      await logCall(small.client, { output: 'y'.repeat(3000) });
      const failed = await finishedExport(small.client, { source: 'requests', format: 'csv' });
      expect(failed).toMatchObject({ status: 'failed', error_message: expect.stringContaining('2000 bytes') });
      expect(await small.sql('SELECT 1 FROM export_chunks')).toEqual([]);
      expect(await small.client.get(failed.download_url, 409)).toMatchObject({ error: 'export_not_ready' });
    } finally {
      await small.stop();
    }
  });
});

describe('an export that has not ended', () => {
  /** An api without a worker: exports stay queued. */
  let idle: TestApp;
  beforeAll(async () => {
    idle = await TestApp.own({ works: false });
  });
  afterAll(() => idle.stop());

  it('has no file yet, can be cancelled, and is deleted the second time', async () => {
    const me = idle.client;
    const waiting = await startExport(me, { source: 'requests', format: 'csv' });
    expect(waiting).toMatchObject({ status: 'queued', progress: 0, row_count: 0, sha256: null });
    expect(await me.get(waiting.download_url, 409)).toMatchObject({ error: 'export_not_ready' });
    expect(await me.delete(waiting.status_url)).toMatchObject({ deleted: false, export: { status: 'cancelled' } });
    expect(await readExport(me, waiting)).toMatchObject({ status: 'cancelled' });
    expect(await me.delete(waiting.status_url)).toMatchObject({ deleted: true });
    await me.get(waiting.status_url, 404);
  });

  it('belongs to the key that asked for it: others need ADMIN to cancel it', async () => {
    const { id: workspace } = (
      (await idle.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] }
    ).workspaces[0]!;
    const issue = async (role: string) => {
      const path = `/api/admin/v1/workspaces/${workspace}/api-keys`;
      return idle.clientWith(((await idle.operator().post(path, { role }, 201)) as { secret: string }).secret);
    };
    const [viewer, other] = [await issue('viewer'), await issue('member')];
    const first = await startExport(viewer, { source: 'requests', format: 'csv' });
    await other.delete(first.status_url, 403);
    await viewer.delete(first.status_url);
    const second = await startExport(viewer, { source: 'requests', format: 'csv' });
    await idle.client.delete(second.status_url);
  });

  it('is one of twenty at most', async () => {
    const started: ExportAnswer[] = [];
    for (let count = 0; count < 20; count++) {
      started.push(await startExport(idle.client, { source: 'requests', format: 'csv' }));
    }
    const body = { source: 'requests', format: 'csv' };
    expect(await idle.client.post(EXPORTS, body, 409)).toMatchObject({ error: 'export_too_many' });
    await idle.client.delete(started[0]!.status_url);
    await idle.client.post(EXPORTS, body, 202);
  });

  it('stops where it is when it is cancelled while it runs', async () => {
    const me = await customerWith({});
    const wish = { source: 'requests', format: 'csv' };
    let running: ExportAnswer;
    await app.inTransaction(async (sql) => {
      // Reading waits for this table, so the worker is in the middle of it when the cancellation comes.
      await sql('LOCK TABLE prompts IN ACCESS EXCLUSIVE MODE');
      running = await startExport(me, wish);
      await until(async () => (await readExport(me, running)).total !== null);
      expect(await readExport(me, running)).toMatchObject({ status: 'running', progress: 0, total: 1 });
      expect(await me.delete(running.status_url)).toMatchObject({ deleted: false, export: { status: 'cancelled' } });
    });
    // The worker takes one export after the other.
    await download(me, wish);
    expect(await readExport(me, running!)).toMatchObject({ status: 'cancelled', sha256: null, bytes: 0 });
    expect(await app.sql('SELECT 1 FROM export_chunks WHERE export_id = $1', [running!.id])).toEqual([]);
  });
});

describe('exports of a workspace', () => {
  it('are listed newest first, page by page, and only for their workspace', async () => {
    const [me, stranger] = [await customerWith({}), await app.stranger()];
    const made: string[] = [];
    for (const format of ['csv', 'jsonl', 'parquet']) {
      made.unshift((await finishedExport(me, { source: 'requests', format })).id);
    }
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await me.get(`${EXPORTS}?limit=2${query}`)) as {
        data: { id: string }[];
        next_cursor: string | null;
      };
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(made);
    expect(await stranger.get(EXPORTS)).toMatchObject({ data: [] });
    for (const path of [`${EXPORTS}/${made[0]}`, `${EXPORTS}/${made[0]}/download`]) await stranger.get(path, 404);
    await stranger.delete(`${EXPORTS}/${made[0]}`, 404);
    const [{ row_count: rows }] = [await finishedExport(stranger, { source: 'requests', format: 'csv' })];
    expect(rows).toBe(0);
  });

  it('are asked for with columns and filters that exist', async () => {
    const me = app.client;
    const ask = (wish: object, status: number) =>
      me.post(EXPORTS, { source: 'requests', format: 'csv', ...wish }, status);
    expect(await ask({ columns: ['password'] }, 400)).toMatchObject({ error: 'export_column_unknown' });
    expect(await ask({ filters: [{ field: 'engine', operator: 'gt', value: 1 }] }, 400)).toMatchObject({
      error: 'filter_invalid',
    });
    await ask({ filter_group: { filters: [{ field: 'nothing', operator: 'is', value: 1 }] } }, 422);
    for (const wish of [{ columns: [] }, { limit: 0 }, { format: 'xlsx' }, { source: 'secrets' }, { typo: 1 }]) {
      await ask(wish, 422);
    }
  });
});
