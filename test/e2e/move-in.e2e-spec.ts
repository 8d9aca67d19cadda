import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
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
function moveIn(
  to: Client,
  args: string[],
  from?: Client,
  { state = `state-${Math.random()}`, fromUrl = url } = {},
): Promise<Ended> {
  const given = ['--to', url, '--state', path.join(folder, state), ...(from ? ['--from', fromUrl] : []), ...args];
  const env = { PATH: process.env.PATH, MOVE_TO_KEY: to.apiKey!, ...(from && { MOVE_FROM_KEY: from.apiKey! }) };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...given], { env }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

const summaryIn = ({ output }: Ended): string[] => output.split('\n').filter((line) => line.includes(' there already'));

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
    expect(summaryIn(first)).toEqual([
      'Prompts (versions): 3 moved, 0 there already, 0 left out.',
      'Datasets (versions): 1 moved, 0 there already, 0 left out.',
      'Traces (spans): 2 moved, 0 there already, 0 left out.',
      'Calls: 1 moved, 0 there already, 0 left out.',
    ]);
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
    // A closed trace: a span that it has counts as there already, a new one as left out.
    await sendBulk(from, [bulkSpan({ name: 'late', parent_id: root.context.span_id }, { trace_id: trace })]);
    expect((await sendBulk(to, [root], true)).status).toBe(201);
    const again = await moveIn(to, [], from);
    expect(again.status).toBe(1);
    expect(again.output).toMatch(new RegExp(`Span \\w+ of trace ${trace} was left out: trace closed`));
    expect(summaryIn(again)).toEqual([
      'Prompts (versions): 0 moved, 3 there already, 0 left out.',
      'Datasets (versions): 0 moved, 1 there already, 0 left out.',
      'Traces (spans): 0 moved, 2 there already, 1 left out (1: trace closed).',
      'Calls: 0 moved, 1 there already, 0 left out.',
    ]);
    expect(await counted(to)).toEqual(before);
    expect((await listDatasets(to)).datasets.filter(({ version_number }) => version_number > 0)).toHaveLength(1);
    expect((await readPrompt(to, 'greeting')).version).toBe(2);
  });
});

/** The same server as one that has no search of traces. */
async function withoutTraces(): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      const { method, headers } = request;
      const body = method === 'GET' ? undefined : await readAll(request);
      const key = { 'x-api-key': String(headers['x-api-key']), 'content-type': 'application/json' };
      const isMissing = request.url!.startsWith('/api/public/v2/traces');
      const answer = isMissing ? null : await fetch(url + request.url!, { method, headers: key, body });
      response.writeHead(answer?.status ?? 404).end(answer ? await answer.text() : '{}');
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

it('brings all calls from a server that keeps its traces to itself', async () => {
  const [from, to] = [await app.stranger(), await app.stranger()];
  const span = bulkSpan({ name: 'call', log_request: loggedCall() }, {});
  expect((await sendBulk(from, [span])).status).toBe(201);
  const server = await withoutTraces();
  try {
    const fromUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ended = await moveIn(to, [], from, { fromUrl });
    expect(ended.status, ended.output).toBe(0);
    expect(summaryIn(ended).at(-1)).toBe('Calls: 1 moved, 0 there already, 0 left out.');
    expect(await counted(to)).toEqual({ logs: 1, traces: 1 });
  } finally {
    server.close();
  }
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
    for (const counts of ['4 moved, 0 there already', '0 moved, 4 there already']) {
      const ended = await moveIn(to, files);
      expect(ended.status, ended.output).toBe(0);
      expect(summaryIn(ended)).toEqual([
        `Traces (spans): ${counts}, 0 left out.`,
        `Calls: ${counts.replace('4', '2')}, 0 left out.`,
      ]);
    }
    expect(await counted(to)).toEqual({ logs: 4, traces: 6 });
  });

  it('names unreadable entries, moves the rest, and continues where it stopped', async () => {
    const to = await app.stranger();
    const good = { id: 'z', model: 'm', input: 'Hi', start_time: '2026-06-01T10:00:00Z' };
    const lines = file(
      'mixed.jsonl',
      ['{"model": "m"}', 'nonsense', JSON.stringify({ ...good, model: null }), JSON.stringify(good)].join('\n'),
    );
    const ended = await moveIn(to, [lines], undefined, { state: 'kept' });
    expect(ended.status).toBe(1);
    for (const problem of [
      '1 was left out: it has no start time',
      '2 was left out: it is not JSON',
      '3 was left out: it has no model',
    ]) {
      expect(ended.output).toContain(problem);
    }
    expect(await counted(to)).toEqual({ logs: 1, traces: 1 });
    expect(summaryIn(ended).at(-1)).toMatch(
      /^Calls: 1 moved, 0 there already, 3 left out \(1: it .*; 1: it .*; 1: it .*\)\.$/,
    );
    const next = await moveIn(to, [lines], undefined, { state: 'kept' });
    expect(next).toMatchObject({
      status: 0,
      output: expect.stringMatching(/: done\.\n[^]*earlier runs have moved is not/),
    });
    expect(summaryIn(next).at(-1)).toBe('Calls: 0 moved, 0 there already, 0 left out.');
    appendFileSync(lines, `\n${JSON.stringify({ ...good, id: 'later' })}`);
    expect((await moveIn(to, [lines], undefined, { state: 'kept' })).status).toBe(0);
    expect(await counted(to)).toEqual({ logs: 2, traces: 2 });
    expect(await moveIn(to, [])).toMatchObject({
      status: 2,
      output: expect.stringContaining('Name a server (--from)'),
    });
    file('damaged', '{');
    const damaged = await moveIn(to, [lines], undefined, { state: 'damaged' });
    expect(damaged).toMatchObject({
      status: 1,
      output: expect.stringContaining('damaged cannot be read as the state'),
    });
    const unknown = await moveIn(to, ['--form', url, '--to', 'localhost']);
    expect(unknown).toMatchObject({
      status: 2,
      output: expect.stringMatching(/^Unknown option '--form'[^]*npm run move-in/),
    });
    expect(await moveIn(to, ['--to', 'localhost:3000', lines])).toMatchObject({ status: 2, output: expect.stringMatching(/^"localhost:3000" is no URL of a server/) }); // prettier-ignore
    expect(await moveIn(to, ['--help'])).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^npm run move-in/),
    });
  });

  it('reports status 401 when the key is wrong', async () => {
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
