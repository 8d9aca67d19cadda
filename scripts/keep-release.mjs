// `npm run keep-release`: keeps what this release stores and answers in a folder of its own, for test/upgrades.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { exitWith, Failure } from './lib/failure.mjs';
import { prepare } from './lib/prepare.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const target = path.join(root, 'test/upgrades', version);

/** Keys that may be public: they open only this example. */
const apiKey = `pl_${'ReleaseTest'.repeat(4)}`;
const secretsKey = Buffer.alloc(32, 1).toString('base64');

const TABLES = '/api/public/v2/tables';
const TOOLS = '/api/public/v2/tool-registry';
const WORKSPACE = '/api/admin/v1/workspaces/1';

/** They are about the server and not about its data, they are for the operator, they end with time, or they never end. */
const NOT_ASKED = [
  /^\/health/,
  /^\/api\/admin\/v1\/workspaces$/,
  /^\/console/,
  /\/column-types$/,
  /\/search\/fields$/,
  /\/events$/,
  /\/exports(\/|$)/,
  /\/receipts\//,
];
/** They change from one answer to the next although nothing has been written. */
const UNSTEADY = /cursor|_url$|^last_used|^duration_ms$/;

const DAY_MS = 86_400_000;
const dayAfter = (days) => new Date(Math.floor(Date.now() / DAY_MS + days) * DAY_MS).toISOString();
/** The example data are of today. */
const PERIOD = { start_time: dayAfter(-1), end_time: dayAfter(2), buckets: 24 };

/** Reads by POST, with their bodies. */
const questionsInBodies = (sheet) => [
  ['/api/public/v2/requests/search', { q: 'refund', filter_group: { filters: [] } }],
  [
    '/api/public/v2/requests/search',
    { filter_group: { filters: [{ field: 'latency_ms', operator: 'gt', value: 500 }] } },
  ],
  ['/api/public/v2/traces/search', { q: 'refund' }],
  ['/api/public/v2/requests/histogram', PERIOD],
  ['/api/public/v2/traces/histogram', PERIOD],
  ['/api/public/v2/requests/analytics', {}],
  ['/prompt-templates/support-answer', { input_variables: { question: 'Where is it?' } }],
  [`${TOOLS}/multiply/test-execute`, { inputs: { a: 6, b: 7 } }],
  [`${TOOLS}/shop-name/test-execute`, { inputs: {} }],
  [`${sheet}/rows/search`, { filter: { filters: [{ field: 'output', operator: 'contains', value: 'refund' }] } }],
];

class Release {
  constructor(url, key = apiKey) {
    this.url = url;
    this.key = key;
  }

  async ask(method, url, body) {
    const headers = { 'x-api-key': this.key, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(new URL(url, this.url), { method, headers, body: body && JSON.stringify(body) });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, body: isJson ? await response.json() : (await response.text(), null) };
  }

  /** @throws Failure when it is refused */
  async call(method, url, body) {
    const answer = await this.ask(method, url, body);
    if (answer.status < 300) return answer.body;
    throw new Failure(`${method} ${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }
}

/** Adds data that the example data of a first start lack. Returns the secret of another key. */
async function addMore(release, sheet) {
  const { secret } = await release.call('POST', `${WORKSPACE}/api-keys`, { name: 'Reads only', role: 'viewer' });
  await release.call('POST', `${sheet}/versions`, { name: 'Before the edit' });
  const { columns, data } = await release.call('GET', `${sheet}/rows`);
  const expected = columns.find(({ title }) => title === 'Expected word');
  await release.call('PATCH', `${sheet}/cells`, {
    cells: [{ cell_id: data[0].cells[expected.id].id, value: 'edited' }],
  });
  const [{ id }] = (await release.call('GET', '/api/public/v2/requests?per_page=1')).items;
  await release.call('POST', '/rest/track-score', { request_id: id, score: 90 });
  await release.call('POST', '/rest/track-metadata', { request_id: id, metadata: { plan: 'gold' } });
  await release.call('POST', '/rest/track-tags', { request_id: id, tags: ['kept'] });
  await release.call('PUT', `${WORKSPACE}/model-prices`, { provider: 'own', model: 'small', input: 0.4, output: 1.2 });
  const code = 'return process.env.SHOP_NAME;';
  await release.call('POST', TOOLS, {
    name: 'shop-name',
    tool_definition: { type: 'function', function: { name: 'shop_name' } },
    execution: { type: 'code', language: 'javascript', code },
  });
  return secret;
}

/** Every GET that the document of the release describes, with the ids that it proposes, and some more. */
async function questionsOf(release, sheet) {
  const { paths } = await release.call('GET', '/openapi.json');
  const questions = Object.entries(paths).flatMap(([template, { get }]) => {
    if (!get || NOT_ASKED.some((pattern) => pattern.test(template))) return [];
    const examples = (get.parameters ?? []).map(({ example, schema, ...rest }) => ({
      ...rest,
      value: example ?? schema?.example,
    }));
    if (examples.some(({ in: place, required, value }) => place !== 'header' && required && value === undefined)) {
      console.log(`Not asked, for the document has no example: ${template}`);
      return [];
    }
    const url = template.replace(/\{(\w+)\}/g, (_, name) =>
      encodeURIComponent(examples.find((one) => one.name === name).value),
    );
    const query = examples.filter(({ in: place, required }) => place === 'query' && required);
    const pairs = query.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
    return [{ method: 'GET', url: pairs.length > 0 ? `${url}?${pairs.join('&')}` : url }];
  });
  return [...questions, ...questionsInBodies(sheet).map(([url, body]) => ({ method: 'POST', url, body }))];
}

/** Common parts of two answers; undefined where they differ. */
function steady(one, other) {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
    return Object.is(one, other) ? one : undefined;
  if (Array.isArray(one))
    return one.length === other.length ? one.map((item, i) => steady(item, other[i]) ?? null) : undefined;
  const keys = Object.keys(one).filter((key) => !UNSTEADY.test(key));
  return Object.fromEntries(keys.map((key) => [key, steady(one[key], other[key])]));
}

async function answersOf(release, questions) {
  const first = [];
  for (const { method, url, body } of questions) first.push(await release.ask(method, url, body));
  await sleep(2000); // longer than any second that an answer may tell
  const answers = [];
  for (const [index, question] of questions.entries()) {
    const { status, body } = await release.ask(question.method, question.url, question.body);
    if (status >= 300) console.log(`${question.method} ${question.url} answered ${status}.`);
    answers.push({ ...question, status, answer: steady(first[index].body, body) });
  }
  return answers;
}

async function untilQuiet(release, sheet) {
  for (;;) {
    const { pending_count: pending } = await release.call('GET', `${sheet}/operations`);
    if (pending === 0) return sleep(5000); // indexes, hourly sums and events are done by then
    await sleep(200);
  }
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Starts the product with its example data; `use` gets its URL. */
async function withProduct(env, use) {
  const launcher = spawn(process.execPath, ['dist/src/embedded/launcher.js'], { cwd: root, env, stdio: 'pipe' });
  const ended = once(launcher, 'exit');
  let output = '';
  const ready = new Promise((resolve, reject) => {
    for (const stream of [launcher.stdout, launcher.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text).includes('Added the prompt') && resolve());
    void ended.then(() => reject(new Failure(`The product did not start:\n${output}`)));
  });
  try {
    await ready;
    return await use(`http://127.0.0.1:${env.PORT}`);
  } finally {
    launcher.kill('SIGTERM');
    await ended;
  }
}

async function record(url) {
  const release = new Release(url);
  const { data } = await release.call('GET', TABLES);
  const { id } = data.find(({ title }) => title === 'Support answers');
  const { data: sheets } = await release.call('GET', `${TABLES}/${id}/sheets`);
  const sheet = `${TABLES}/${id}/sheets/${sheets[0].id}`;
  const viewerKey = await addMore(release, sheet);
  await untilQuiet(release, sheet);
  const answers = await answersOf(release, await questionsOf(release, sheet));
  return { version, apiKey, viewerKey, secretsKey, sheet, answers };
}

async function keep(folder) {
  const env = { ...process.env, DATA_DIR: folder, PORT: String(await freePort()) };
  const own = { BOOTSTRAP_API_KEY: apiKey, SECRETS_KEY: secretsKey, DATABASE_URL: '', REDIS_URL: '' };
  const release = await withProduct({ ...env, ...own }, record);
  mkdirSync(target);
  const admin = ['dist/src/embedded/admin.js', 'backup', path.join(target, 'backup')];
  const { status, stderr } = spawnSync(process.execPath, admin, {
    cwd: root,
    env: { ...env, ...own },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Failure(stderr);
  writeFileSync(path.join(target, 'release.json.gz'), gzipSync(JSON.stringify(release), { level: 9 }));
  console.log(`Kept ${release.answers.length} answers of version ${version} in ${path.relative(root, target)}.`);
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-release-'));
try {
  if (existsSync(target)) throw new Failure(`${target} is there already. Remove it to keep this release anew.`);
  chmodSync(folder, 0o755);
  await prepare(root, { redis: true });
  await keep(folder);
} catch (error) {
  exitWith(error);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
