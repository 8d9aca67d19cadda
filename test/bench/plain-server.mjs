/**
 * Minimal server: it parses spans and inserts all that arrived meanwhile together, without conventions, request logs,
 * summaries, receipts or checks. Its latency is the share of the machine in the latency of the product. The process
 * that starts it with DATABASE_URL gets its port.
 */
import Fastify from 'fastify';
import pg from 'pg';

const INSERT = {
  name: 'insert',
  text: 'INSERT INTO plain_spans (trace_id, span_id, name, attributes) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])',
};
const COLUMNS = [0, 1, 2, 3];

const db = new pg.Client(process.env.DATABASE_URL);
await db.connect();
await db.query(
  `CREATE TABLE plain_spans (
     trace_id text, span_id text, name text, attributes text STORAGE EXTERNAL, PRIMARY KEY (trace_id, span_id))`,
);

let waiting = [];
let isWriting = false;

async function write() {
  isWriting = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    const rows = batch.flatMap((request) => request.rows);
    await db.query({ ...INSERT, values: COLUMNS.map((column) => rows.map((row) => row[column])) });
    for (const { resolve } of batch) resolve({ partialSuccess: null });
  }
  isWriting = false;
}

function rowsOf({ resourceSpans }) {
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return spans.map((span) => [span.traceId, span.spanId, span.name, JSON.stringify(span.attributes)]);
}

const server = Fastify({ bodyLimit: 64 * 1024 * 1024 });
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
server.post('/v1/traces', (request) => {
  const rows = rowsOf(JSON.parse(request.body.toString()));
  return new Promise((resolve) => {
    waiting.push({ rows, resolve });
    if (!isWriting) void write();
  });
});
await server.listen({ host: '127.0.0.1', port: 0 });
process.send(server.server.address().port);
process.once('disconnect', () => process.exit(0));
