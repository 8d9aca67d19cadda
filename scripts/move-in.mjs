// `npm run move-in -- …`: brings traces, calls, prompts and datasets from another server or from files. It uses public routes only.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readEntries } from './lib/move-in-files.mjs';
import { moveDatasets, movePrompts, moveLogs, moveTraces } from './lib/move-in-server.mjs';
import { toLogSpan } from './lib/move-in-logs.mjs';

const USAGE = `npm run move-in -- --to URL [--from URL] [--state FILE] [FILE …]

--to     the server that gets everything; its key is in MOVE_TO_KEY
--from   a server that speaks the same API; its key is in MOVE_FROM_KEY
--state  where it is kept how far the move is (move-in.json); the same command goes on from there
FILE     .jsonl, .ndjson, .json or .parquet with calls of models; OTLP as JSON lines or as protobuf (.pb, .binpb, .otlp)`;

/** What a request may still be tried after, and how often. */
const BUSY = new Set([408, 429, 500, 502, 503, 504]);
const TRIES = 8;
/** Something is wrong with what was sent. */
const REFUSED = new Set([400, 413, 422]);

/** A server and a key of it. */
class Server {
  constructor(url, key) {
    Object.assign(this, { url: url.replace(/\/+$/, ''), key });
  }

  /** The answer as JSON. Throws an Error with the status for what is refused; what may pass is tried again. */
  async call(method, route, body, type = 'application/json') {
    for (let attempt = 1; ; attempt++) {
      const { status, text, wait } = await this.send(method, route, body, type);
      if (status >= 200 && status < 300) return text === '' ? null : JSON.parse(text);
      if (attempt === TRIES || (status !== 0 && !BUSY.has(status))) {
        throw Object.assign(new Error(`${method} ${this.url}${route}: ${status} ${text.slice(0, 500)}`), { status });
      }
      await pause(1000 * (wait || Math.min(30, 2 ** (attempt - 1))));
    }
  }

  /** The status is 0 where there is no answer. */
  async send(method, route, body, type) {
    const headers = { 'x-api-key': this.key, ...(body !== undefined && { 'content-type': type }) };
    try {
      const answer = await fetch(this.url + route, { method, headers, body });
      return { status: answer.status, text: await answer.text(), wait: Number(answer.headers.get('retry-after')) };
    } catch (error) {
      return { status: 0, text: String(error.cause ?? error) };
    }
  }

  get = (route) => this.call('GET', route);
  post = (route, body) => this.call('POST', route, typeof body === 'string' ? body : JSON.stringify(body));

  /** null for what is not there. */
  find = (route) => this.get(route).catch((error) => (error.status === 404 ? null : Promise.reject(error)));
}

/** How far the move is, in a file. */
class Progress {
  failures = 0;
  shown = 0;

  constructor(file, about) {
    const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    Object.assign(this, { file, all: known, parts: (known[about] ??= {}) });
  }

  keep(part, position) {
    this.parts[part] = position;
    writeFileSync(`${this.file}.new`, JSON.stringify(this.all));
    renameSync(`${this.file}.new`, this.file);
  }

  say(line, { now = true } = {}) {
    if (!now && Date.now() - this.shown < 2000) return;
    this.shown = Date.now();
    console.log(line);
  }

  refused(what, error) {
    this.failures++;
    console.error(`${what} was left out: ${error.message}`);
  }
}

/** Sends spans some at a time: at most 100, or 4 MB. A span twice is one span, so a batch may come again. */
class Spans {
  batch = [];
  size = 0;
  sent = 0;

  constructor(to, progress) {
    Object.assign(this, { to, progress });
  }

  async add(span, { scores = [], what }) {
    // Nanoseconds are beyond the numbers of JavaScript: they are written as digits.
    const text = JSON.stringify(span, (_, value) => (typeof value === 'bigint' ? `@${value}@` : value)).replace(
      /"@(\d+)@"/g,
      '$1',
    );
    this.batch.push({ text, scores, what, id: span.context.span_id });
    this.size += text.length;
    if (this.batch.length >= 100 || this.size >= 4_000_000) await this.flush();
  }

  async flush() {
    const batch = this.batch.splice(0);
    this.size = 0;
    if (batch.length > 0) await this.send(batch);
  }

  /** A batch with something that is refused is sent piece by piece. */
  async send(batch) {
    try {
      const { request_logs: logs } = await this.to.post(
        '/spans-bulk',
        `{"spans": [${batch.map(({ text }) => text).join()}]}`,
      );
      this.sent += batch.length;
      for (const { id, scores } of batch) {
        const log = logs?.find(({ span_id }) => span_id === id);
        for (const { name, score } of log ? scores : [])
          await this.to.post('/rest/track-score', { request_id: log.id, name, score });
      }
    } catch (error) {
      if (!REFUSED.has(error.status)) throw error;
      if (batch.length > 1) for (const each of batch) await this.send([each]);
      else this.progress.refused(batch[0].what, error);
    }
  }
}

async function moveFile(file, to, progress) {
  const spans = new Spans(to, progress);
  const done = progress.parts[file] ?? 0;
  let last = done;
  for await (const { line, ...entry } of readEntries(file)) {
    if (line <= done) continue;
    // Several rows may share a line, so the line before is the last that is certain to be done.
    if (spans.batch.length === 0 && line > last) progress.keep(file, line - 1);
    await moveEntry(entry, { file, what: `${file}, ${line}`, to, spans, progress });
    progress.say(`${file}: line ${line}`, { now: false });
    last = line;
  }
  await spans.flush();
  progress.keep(file, last);
  progress.say(`${file}: done.`);
}

/** What is refused is named and left out; whatever else is wrong ends the move. */
async function moveEntry({ problem, row, otlp, bytes }, { file, what, to, spans, progress }) {
  try {
    if (problem) throw Object.assign(new Error(problem), { status: 422 });
    if (row) await spans.add(toLogSpan(row, path.basename(file)), { what });
    else await to.call('POST', '/v1/traces', otlp ?? bytes, otlp ? 'application/json' : 'application/x-protobuf');
  } catch (error) {
    if (error.status !== undefined && !REFUSED.has(error.status)) throw error;
    progress.refused(what, error);
  }
}

async function moveServer(from, to, progress) {
  const place = { from, to, progress, spans: new Spans(to, progress) };
  const versions = await movePrompts(place);
  await moveDatasets(place);
  await moveTraces(place, versions);
  await moveLogs(place, versions);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string' }, from: { type: 'string' }, state: { type: 'string' }, help: { type: 'boolean' } },
});
const { MOVE_TO_KEY, MOVE_FROM_KEY } = process.env;
const isComplete = values.to && MOVE_TO_KEY && (values.from ? MOVE_FROM_KEY : positionals.length > 0);
if (values.help || !isComplete) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
/** npm runs its scripts in the folder of the checkout, and says where it was called. */
const here = (file) => path.resolve(process.env.INIT_CWD ?? '.', file);
const to = new Server(values.to, MOVE_TO_KEY);
const progress = new Progress(here(values.state ?? 'move-in.json'), `${values.from ?? 'files'} → ${values.to}`);
try {
  if (values.from) await moveServer(new Server(values.from, MOVE_FROM_KEY), to, progress);
  for (const file of positionals) await moveFile(here(file), to, progress);
  if (progress.failures > 0) console.error(`${progress.failures} could not be moved; they are named above.`);
  process.exitCode = progress.failures > 0 ? 1 : 0;
} catch (error) {
  console.error(`${error.message}\nThe same command goes on from here.`);
  process.exitCode = 1;
}
