// `npm run move-in -- …`: brings traces, calls, prompts and datasets from another server or from files. It uses public routes only.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readEntries } from './lib/move-in-files.mjs';
import { moveDatasets, movePrompts, moveLogs, moveTraces } from './lib/move-in-server.mjs';
import { toLogSpan } from './lib/move-in-logs.mjs';
import { KINDS, Tally } from './lib/move-in-tally.mjs';

const USAGE = `npm run move-in -- --to URL [--from URL] [--state FILE] [FILE …]

--to     the server that gets everything; its key is in MOVE_TO_KEY
--from   a server that speaks the same API; its key is in MOVE_FROM_KEY
--state  where it is kept how far the move is (move-in.json); the same command goes on from there
FILE     .jsonl, .ndjson, .json or .parquet with calls of models; OTLP as JSON lines or as protobuf (.pb, .binpb, .otlp)`;

/** Statuses after which a request is tried again, up to `TRIES` times. */
const BUSY = new Set([408, 429, 500, 502, 503, 504]);
const TRIES = 8;
/** Statuses of invalid requests. */
const REFUSED = new Set([400, 413, 422]);

/** A server and a key of it. */
class Server {
  constructor(url, key) {
    Object.assign(this, { url: url.replace(/\/+$/, ''), key });
  }

  /** Reads the answer as JSON. Throws an Error with the status of a rejection; passing errors are retried. */
  async call(method, route, body, type) {
    const { text } = await this.request(method, route, body, type);
    return text === '' ? null : JSON.parse(text);
  }

  async request(method, route, body, type = 'application/json') {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.send(method, route, body, type);
      const { status, text, wait } = answer;
      if (status >= 200 && status < 300) return answer;
      if (attempt === TRIES || (status !== 0 && !BUSY.has(status))) {
        const said = `${method} ${this.url}${route}: ${status} ${text.slice(0, 500)}`;
        throw Object.assign(new Error(said), { status, reason: reasonIn(text) });
      }
      await pause(1000 * (wait || Math.min(30, 2 ** (attempt - 1))));
    }
  }

  /** The status is 0 where there is no answer. */
  async send(method, route, body, type) {
    const headers = { 'x-api-key': this.key, ...(body !== undefined && { 'content-type': type }) };
    try {
      const answer = await fetch(this.url + route, { method, headers, body });
      const [wait, receipt] = ['retry-after', 'x-ingest-receipt'].map((name) => answer.headers.get(name));
      return { status: answer.status, text: await answer.text(), wait: Number(wait), receipt };
    } catch (error) {
      return { status: 0, text: String(error.cause ?? error) };
    }
  }

  get = (route) => this.call('GET', route);
  post = (route, body) => this.call('POST', route, typeof body === 'string' ? body : JSON.stringify(body));

  /** Sends spans. Gives the answer, with what became of them; `outcome` is null where the server does not say that. */
  async sendSpans(route, body, type) {
    const { text, receipt } = await this.request('POST', route, body, type);
    const asked = receipt && this.get(`/api/public/v2/ingest/receipts/${receipt}`);
    const outcome = await Promise.resolve(asked).catch((error) =>
      [403, 404].includes(error.status) ? null : Promise.reject(error),
    );
    return { answer: text.startsWith('{') ? JSON.parse(text) : {}, outcome };
  }

  /** Null for a missing entity. */
  find = (route) => this.get(route).catch((error) => (error.status === 404 ? null : Promise.reject(error)));
}

/** Message of a rejection, without the request. */
function reasonIn(text) {
  try {
    const { message, detail } = JSON.parse(text);
    return [message, detail?.[0]?.msg, detail].find((each) => typeof each === 'string');
  } catch {
    return undefined;
  }
}

/** Progress of the move, in a file. */
class Progress {
  failures = 0;
  shown = 0;
  tally = new Tally();

  constructor(file, about) {
    const known = existsSync(file) ? readState(file) : {};
    Object.assign(this, { file, all: known, parts: (known[about] ??= {}) });
    this.goesOn = Object.keys(this.parts).length > 0;
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

  /** Names what is left out, which counts as so many. */
  refused(kind, what, error, number = 1) {
    this.failures++;
    this.tally.leftOut(kind, error.reason ?? error.message, number);
    console.error(`${what} was left out: ${error.message}`);
  }

  /** Summary of all entries. */
  summary(kinds) {
    const earlier = this.goesOn
      ? [`What earlier runs have moved is not counted; ${this.file} says how far they came.`]
      : [];
    return [...this.tally.lines(kinds), ...earlier].join('\n');
  }
}

function readState(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(
      `${file} cannot be read as the state of a move (${error.message}). Delete it, or name another: --state FILE`,
    );
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

  /** Spans of one batch are all of one kind: each kind ends with `flush`. */
  async add(span, { kind, scores = [], what }) {
    this.kind = kind;
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
      const body = `{"spans": [${batch.map(({ text }) => text).join()}]}`;
      const { answer, outcome } = await this.to.sendSpans('/spans-bulk', body);
      const { request_logs: logs, rejected_span_ids: rejected = [] } = answer;
      await countSpans(outcome, this.kind, this, { total: batch.length, rejected: rejected.length });
      this.sent += batch.length - rejected.length;
      for (const { id, scores } of batch) {
        const log = logs?.find(({ span_id }) => span_id === id);
        for (const { name, score } of log ? scores : [])
          await this.to.post('/rest/track-score', { request_id: log.id, name, score });
      }
    } catch (error) {
      if (!REFUSED.has(error.status)) throw error;
      if (batch.length > 1) for (const each of batch) await this.send([each]);
      else this.progress.refused(this.kind, batch[0].what, error);
    }
  }
}

/** Counts what became of spans; `known` is what the answer itself says, for servers that keep no receipts. */
async function countSpans(outcome, kind, { to, progress }, known) {
  const { tally } = progress;
  if (!outcome) {
    tally.moved(kind, known.total - known.rejected);
    if (known.rejected > 0) progress.refused(kind, `${known.rejected} spans`, new Error('the server rejected them'), known.rejected); // prettier-ignore
    return;
  }
  const { stored, merged, duplicate, rejected } = outcome.counts;
  tally.moved(kind, stored);
  tally.there(kind, merged + duplicate);
  const told = outcome.spans.filter(({ status }) => status === 'rejected');
  for (const { trace_id: trace, span_id: span, reason } of told) {
    // A closed trace rejects all spans, also those that it has.
    const found = reason === 'trace_closed' && (await to.find(`/api/public/v2/traces/${encodeURIComponent(trace)}`));
    if (found && found.spans.some(({ span_id: id }) => id === span)) tally.there(kind);
    else progress.refused(kind, `Span ${span} of trace ${trace}`, new Error(reason.replaceAll('_', ' ')));
  }
  const others = rejected - told.length;
  if (others > 0) progress.refused(kind, `${others} more spans`, new Error('the server rejected them'), others);
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

/** Moves an entry. Rejected entries are named and left out; other errors end the move. */
async function moveEntry({ problem, row, otlp, bytes }, { file, what, to, spans, progress }) {
  try {
    if (problem) throw Object.assign(new Error(problem), { status: 422 });
    if (row) return await spans.add(toLogSpan(row, path.basename(file)), { kind: 'calls', what });
    const type = otlp ? 'application/json' : 'application/x-protobuf';
    const { outcome } = await to.sendSpans('/v1/traces', otlp ?? bytes, type);
    await countSpans(outcome, 'traces', { to, progress }, { total: 1, rejected: 0 });
  } catch (error) {
    if (error.status !== undefined && !REFUSED.has(error.status)) throw error;
    progress.refused(row || problem ? 'calls' : 'traces', what, error);
  }
}

async function moveServer(from, to, progress) {
  const place = { from, to, progress, spans: new Spans(to, progress) };
  const versions = await movePrompts(place);
  await moveDatasets(place);
  const hasTraces = await moveTraces(place, versions);
  await moveLogs({ ...place, hasTraces }, versions);
}

/** Parses the arguments. Ends the process with the usage when they are invalid. */
function readArguments(env) {
  const options = {
    to: { type: 'string' },
    from: { type: 'string' },
    state: { type: 'string', default: 'move-in.json' },
    help: { type: 'boolean', short: 'h' },
  };
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (values.help) return endWith(USAGE, 0);
    if (!values.to) throw new Error('--to is missing.');
    if (!values.from && positionals.length === 0) throw new Error('Name a server (--from) or files to move.');
    const [to, from] = [values.to, values.from].map((url) => url && checkedUrl(String(url)));
    if (!env.MOVE_TO_KEY) throw new Error('Set MOVE_TO_KEY to an API key of the server that gets everything.');
    if (from && !env.MOVE_FROM_KEY) throw new Error('Set MOVE_FROM_KEY to an API key of the server that is moved.');
    return { to, from, state: String(values.state), files: positionals };
  } catch (error) {
    return endWith(`${error.message}\n\n${USAGE}`, 2);
  }
}

function checkedUrl(url) {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new Error(`"${url}" is no URL of a server, such as http://localhost:3000.`);
}

function endWith(text, status) {
  console[status === 0 ? 'log' : 'error'](text);
  process.exit(status);
}

const { to: target, from, state, files } = readArguments(process.env);
/** npm runs its scripts in the folder of the checkout, and says where it was called. */
const here = (file) => path.resolve(process.env.INIT_CWD ?? '.', file);
const to = new Server(target, process.env.MOVE_TO_KEY);
let progress;
try {
  progress = new Progress(here(state), `${from ?? 'files'} → ${target}`);
  if (from) await moveServer(new Server(from, process.env.MOVE_FROM_KEY), to, progress);
  for (const file of files) await moveFile(here(file), to, progress);
  if (progress.failures > 0) console.error('What was left out is named above.');
  process.exitCode = progress.failures > 0 ? 1 : 0;
} catch (error) {
  console.error(`${error.message}\nThe same command goes on from here.`);
  process.exitCode = 1;
}
if (progress) console.log(progress.summary(from ? Object.keys(KINDS) : ['traces', 'calls']));
