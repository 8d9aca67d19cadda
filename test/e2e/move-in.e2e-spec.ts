import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulkSpan, loggedCall, sendBulk } from '../support/bulk.js';
import type { Client } from '../support/client.js';
import { listDatasets, newGroup, rowsOf, versionFromFile } from '../support/datasets.js';
import { envelope, llmSpan, spanId, traceId } from '../support/otlp.js';
import { labelsOf, publishPrompt, readPrompt } from '../support/prompts.js';
import { REQUESTS, search } from '../support/request-logs.js';
import { TestApp } from '../support/test-app.js';

const COMMAND = path.resolve(import.meta.dirname, '../../scripts/move-in.mjs');

let app: TestApp;
let url: string;
let folder: string;
beforeAll(async () => {
  app = await TestApp.start();
  await app.listen();
  url = await app.app.getUrl();
  folder = mkdtempSync(path.join(os.tmpdir(), 'move-in-'));
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  status: number;
  output: string;
}

/** The command as it is typed. The state is a new one each time, so that everything is tried again. */
function moveIn(to: Client, args: string[], from?: Client, state = `state-${Math.random()}`): Promise<Ended> {
  const given = ['--to', url, '--state', path.join(folder, state), ...(from ? ['--from', url] : []), ...args];
  const env = { PATH: process.env.PATH, MOVE_TO_KEY: to.apiKey!, ...(from && { MOVE_FROM_KEY: from.apiKey! }) };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...given], { env }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

function file(name: string, content: string | Buffer): string {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
}

type Detail = Record<string, unknown> & { prompt_blueprint: { prompt_template: object } };
const detailsOf = async (client: Client): Promise<Detail[]> => {
  const { items } = await search(client, { per_page: 25, sort_by: 'request_start_time', sort_order: 'asc' });
  return Promise.all(items.map(async ({ id }) => (await client.get(`${REQUESTS}/${id}`)) as Detail));
};
const counted = async (client: Client) => {
  const traces = (await client.post('/api/public/v2/traces/search', {})) as { total: number };
  return { logs: (await search(client)).total, traces: traces.total };
};

describe('moving in from another server', () => {
  it('brings prompts with versions and labels, datasets, traces and calls, and nothing twice', async () => {
    const [from, to] = [await app.stranger(), await app.stranger()];
    await publishPrompt(from, 'polite', { text: 'Be polite.', isSnippet: true });
    await publishPrompt(from, 'greeting', { message: 'Hello {name}!' });
    await publishPrompt(from, 'greeting', { message: 'Good day {name}! @@@polite@@@', labels: ['prod'] });
    const group = await newGroup(from, { name: 'Cases' });
    await versionFromFile(from, group.id, 'question,answer\n2+2?,4\n3+3?,6\n');
    const trace = traceId();
    const root = bulkSpan({ name: 'agent', attributes: { user: 'Ann' } }, { trace_id: trace });
    const call = loggedCall({
      prompt_name: 'greeting',
      prompt_version_number: 2,
      tags: ['paid'],
      metadata: { user: 'Ann' },
      score: 80,
    });
    const inside = bulkSpan({ name: 'call', parent_id: root.context.span_id, log_request: call }, { trace_id: trace });
    expect((await sendBulk(from, [root, inside])).status).toBe(201);
    const times = { request_start_time: '2026-06-01T10:00:00.123456Z', request_end_time: '2026-06-01T10:00:01Z' };
    await from.post('/log-request', { ...loggedCall({ ...times, price: 0.25 }) }, 201);

    const first = await moveIn(to, [], from);
    expect(first).toMatchObject({ status: 0 });
    expect(await labelsOf(to, 'greeting')).toEqual({ prod: 2 });
    expect((await readPrompt(to, 'greeting', '?version=1')).prompt_template).toEqual(
      (await readPrompt(from, 'greeting', '?version=1')).prompt_template,
    );
    expect((await readPrompt(to, 'greeting')).snippets).toHaveLength(1);
    const { datasets } = await listDatasets(to);
    const moved = datasets.find(({ version_number }) => version_number === 1)!;
    expect(await rowsOf(to, moved.id)).toEqual([
      { question: '2+2?', answer: '4' },
      { question: '3+3?', answer: '6' },
    ]);
    const kept = ({
      provider,
      model,
      price,
      tags,
      metadata,
      scores,
      prompt_name,
      prompt_version_number,
      latency_ms,
      ...log
    }: Detail) => ({
      provider,
      model,
      price,
      tags,
      metadata,
      scores,
      prompt_name,
      prompt_version_number,
      latency_ms,
      start: log.request_start_time,
      prompt: log.prompt_blueprint.prompt_template,
    });
    expect((await detailsOf(to)).map(kept)).toEqual((await detailsOf(from)).map(kept));
    const spansOf = async (client: Client) => {
      const { spans } = (await client.get(`/api/public/v2/traces/${trace}`)) as { spans: Record<string, unknown>[] };
      return spans.map(({ span_id, parent_id, name, start_time, end_time, attributes }) => [
        span_id,
        parent_id,
        name,
        start_time,
        end_time,
        attributes,
      ]);
    };
    expect(await spansOf(to)).toEqual(await spansOf(from));

    const before = await counted(to);
    expect(before).toEqual({ logs: 2, traces: 2 });
    expect(await moveIn(to, [], from)).toMatchObject({ status: 0 });
    expect(await counted(to)).toEqual(before);
    expect((await listDatasets(to)).datasets.filter(({ version_number }) => version_number > 0)).toHaveLength(1);
    expect((await readPrompt(to, 'greeting')).version).toBe(2);
  });
});

describe('moving in from files', () => {
  it.each([
    [
      'calls with texts',
      {
        id: 'a',
        model: 'gpt-4.1',
        provider: 'openai',
        input: 'Hi',
        output: 'Hello',
        start_time: '2026-06-01T10:00:00Z',
        latency_ms: 1500,
      },
    ],
    [
      'calls with messages',
      {
        run_id: 'b',
        model: 'gpt-4.1',
        provider: 'openai',
        inputs: { messages: [{ role: 'user', content: 'Hi' }] },
        outputs: { choices: [{ message: { role: 'assistant', content: 'Hello' } }] },
        startTime: 1780308000000,
        endTime: 1780308001500,
      },
    ],
    [
      'calls of our own exports',
      {
        request_id: 3,
        model: 'gpt-4.1',
        provider: 'openai',
        input: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] },
        output: { type: 'chat', messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hello' }] }] },
        request_start_time: '2026-06-01T10:00:00.000000Z',
        request_end_time: '2026-06-01T10:00:01.500Z',
      },
    ],
  ])('reads %s, and the same file twice adds nothing twice', async (name, row) => {
    const to = await app.stranger();
    const lines = file(`${name}.jsonl`, `${JSON.stringify(row)}\n`);
    expect(await moveIn(to, [lines])).toMatchObject({ status: 0 });
    expect(await moveIn(to, [lines])).toMatchObject({ status: 0 });
    const [log, ...others] = await detailsOf(to);
    expect(others).toEqual([]);
    expect(log).toMatchObject({
      model: 'gpt-4.1',
      provider: 'openai',
      request_start_time: expect.stringContaining('2026-06-01T10:00:00'),
      latency_ms: 1500,
    });
    const { messages } = log!.prompt_blueprint.prompt_template as {
      messages: { role: string; content: { text: string }[] }[];
    };
    expect(messages.map(({ role, content }) => [role, content[0]!.text])).toEqual([
      ['user', 'Hi'],
      ['assistant', 'Hello'],
    ]);
    expect(await counted(to)).toEqual({ logs: 1, traces: 1 });
  });

  it('reads Parquet and OTLP, as lines of JSON and as protobuf with and without lengths', async () => {
    const to = await app.stranger();
    const parquet = Buffer.from(
      parquetWriteBuffer({
        columnData: [
          { name: 'id', data: ['x', 'y'], type: 'STRING' },
          { name: 'model', data: ['gpt-4.1', 'gpt-4.1'], type: 'STRING' },
          { name: 'input', data: ['One', 'Two'], type: 'STRING' },
          { name: 'start_time', data: ['2026-06-01T10:00:00Z', '2026-06-01T11:00:00Z'], type: 'STRING' },
        ],
      }),
    );
    const message = protobufSpan(traceId(), spanId());
    const length = Buffer.alloc(4);
    length.writeUInt32BE(message.length);
    const other = protobufSpan(traceId(), spanId());
    const files = [
      file('calls.parquet', parquet),
      file('spans.jsonl', [llmSpan(), llmSpan()].map((span) => JSON.stringify(envelope([span]))).join('\n')),
      file('one.pb', other),
      file('framed.binpb', Buffer.concat([length, message])),
    ];
    for (const ended of [await moveIn(to, files), await moveIn(to, files)]) expect(ended.status, ended.output).toBe(0);
    expect(await counted(to)).toEqual({ logs: 4, traces: 6 });
  });

  it('names what it cannot read and moves the rest, and goes on where it was', async () => {
    const to = await app.stranger();
    const good = { id: 'z', model: 'm', input: 'Hi', start_time: '2026-06-01T10:00:00Z' };
    const lines = file(
      'mixed.jsonl',
      ['{"model": "m"}', 'nonsense', JSON.stringify({ ...good, model: null }), JSON.stringify(good)].join('\n'),
    );
    const ended = await moveIn(to, [lines], undefined, 'kept');
    expect(ended.status).toBe(1);
    for (const problem of [
      '1 was left out: it has no start time',
      '2 was left out: it is not JSON',
      '3 was left out: it has no model',
    ]) {
      expect(ended.output).toContain(problem);
    }
    expect(await counted(to)).toEqual({ logs: 1, traces: 1 });
    expect(await moveIn(to, [lines], undefined, 'kept')).toEqual({ status: 0, output: `${lines}: done.\n` });
    appendFileSync(lines, `\n${JSON.stringify({ ...good, id: 'later' })}`);
    expect((await moveIn(to, [lines], undefined, 'kept')).status).toBe(0);
    expect(await counted(to)).toEqual({ logs: 2, traces: 2 });
    expect((await moveIn(to, [], undefined)).status).toBe(2);
  });

  it('says what it needs when the key is wrong', async () => {
    const lines = file('any.jsonl', JSON.stringify({ id: 1, model: 'm', input: 'Hi', start_time: 1780308000 }));
    const ended = await moveIn(app.clientWith('pl_wrong'), [lines]);
    expect(ended.status).toBe(1);
    expect(ended.output).toContain('401');
  });
});

/** ExportTraceServiceRequest → ResourceSpans → ScopeSpans → Span with a name and times. */
function protobufSpan(trace: string, span: string): Buffer {
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
  const time = (number: number, nanoseconds: bigint) => {
    const bytes = Buffer.alloc(9);
    bytes[0] = (number << 3) | 1;
    bytes.writeBigUInt64LE(nanoseconds, 1);
    return bytes;
  };
  const content = [
    field(1, Buffer.from(trace, 'hex')),
    field(2, Buffer.from(span, 'hex')),
    field(5, Buffer.from('step')),
    time(7, 1_780_308_000_000_000_000n),
    time(8, 1_780_308_001_000_000_000n),
  ];
  return field(1, field(2, field(2, Buffer.concat(content))));
}
