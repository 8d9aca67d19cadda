import type { EntityManager } from 'typeorm';

/** Limits of one statement. A trace may have any number of spans, so these are read in steps, too. */
const AT_ONCE = { traces: 2000, spans: 10_000 };
/** Sources that are checked in one walk. Further ones follow when these are deleted. */
const CANDIDATES = 10_000;
/** Processes record once an hour which sources they still send. A span's trace exists by then, or soon after. */
const MARGIN_HOURS = 12;

/**
 * Deletes the resources and scopes of a workspace that no span has any more, step by step. The caller decides how many
 * steps to run at a time, and may stop early. Sources of spans are not indexed, because an index would slow down
 * ingestion. A source that was not sent for `days` is used only by traces that existed by then. If `days` exceeds the
 * retention of traces, hardly any of these are left. `days` must be at least one.
 */
export async function* deleteUnusedSources(
  db: EntityManager,
  workspaceId: number,
  days: number,
): AsyncGenerator<void, void> {
  const { since, unused } = await findSilent(db, workspaceId, days);
  let after: string | null = '';
  while (unused.size > 0 && (after = yield* walkSome(db, { workspaceId, after, since, unused })) !== null);
  if (unused.size > 0) await deleteThese(db, { workspaceId, since, unused });
}

/** Sources, in hexadecimal digits, that were not seen since then and were not found in any span yet. */
interface Silent {
  since: Date;
  unused: Set<string>;
}

interface Walk extends Silent {
  workspaceId: number;
}

async function findSilent(db: EntityManager, workspaceId: number, days: number): Promise<Silent> {
  const [{ since }] = await db.query<[{ since: Date }]>(`SELECT now() - $1 * interval '1 day' AS since`, [days]);
  const rows = await db.query<{ hash: string }[]>(
    `SELECT encode(hash, 'hex') AS hash FROM span_sources WHERE workspace_id = $1 AND last_seen_at < $2 LIMIT ${CANDIDATES}`,
    [workspaceId, since],
  );
  return { since, unused: new Set(rows.map(({ hash }) => hash)) };
}

/**
 * Removes from `unused` the sources of the next traces. Traces are read in the order of ids, which never change: in the
 * order of start, one could move past the walk. Returns the last trace; null after the end.
 */
async function* walkSome(
  db: EntityManager,
  { workspaceId, after, since, unused }: Walk & { after: string },
): AsyncGenerator<void, string | null> {
  const traces = await db.query<{ trace_id: string; is_old: boolean }[]>(
    `SELECT trace_id, created_at < $3::timestamptz + interval '${MARGIN_HOURS} hours' AS is_old FROM traces
      WHERE workspace_id = $1 AND trace_id > $2 ORDER BY workspace_id, trace_id LIMIT ${AT_ONCE.traces}`,
    [workspaceId, after, since],
  );
  yield;
  const old = traces.filter(({ is_old: isOld }) => isOld).map(({ trace_id: traceId }) => traceId);
  for (const traceId of old) {
    for (let spanId: string | null = ''; spanId !== null && unused.size > 0;) {
      spanId = await readSome(db, { workspaceId, traceId, after: spanId, unused });
      yield;
    }
  }
  return traces.length < AT_ONCE.traces ? null : traces.at(-1)!.trace_id;
}

interface Place {
  workspaceId: number;
  traceId: string;
  after: string;
}

/** The last span that was read; null when no more follow. */
async function readSome(
  db: EntityManager,
  { workspaceId, traceId, after, unused }: Place & Pick<Silent, 'unused'>,
): Promise<string | null> {
  const [{ hashes, last, count }] = await db.query<[{ hashes: string[]; last: string | null; count: number }]>(
    `SELECT coalesce(array_agg(DISTINCT encode(source_hash, 'hex')), '{}') AS hashes, max(span_id) AS last,
            count(*)::int AS count
       FROM (SELECT span_id, source_hash FROM spans WHERE workspace_id = $1 AND trace_id = $2 AND span_id > $3
              ORDER BY workspace_id, trace_id, span_id LIMIT ${AT_ONCE.spans}) s`,
    [workspaceId, traceId, after],
  );
  for (const hash of hashes) unused.delete(hash);
  return count < AT_ONCE.spans ? null : last;
}

/** A process that sends a source again first updates `last_seen_at`, or stores the source again. */
async function deleteThese(db: EntityManager, { workspaceId, since, unused }: Walk): Promise<void> {
  await db.query(
    `DELETE FROM span_sources WHERE workspace_id = $1 AND last_seen_at < $3
        AND hash IN (SELECT decode(digits, 'hex') FROM unnest($2::text[]) AS digits)`,
    [workspaceId, [...unused], since],
  );
}
