import type { EntityManager } from 'typeorm';

/** Looked at in one statement. A trace may have any number of spans, so these are read in portions too. */
const AT_ONCE = { traces: 2000, spans: 10_000 };
/** Sources that are looked for in one walk. The others have their turn when these are gone. */
const CANDIDATES = 10_000;
/** Processes say once an hour what they still send. A span comes with a trace that is there by then, or soon after. */
const MARGIN_HOURS = 12;

/**
 * Deletes the resources and scopes of a workspace that no span has any more, step by step: whoever goes through the steps
 * decides how many are done at a time, and need not finish. Which spans use a source is not indexed, which would cost
 * ingestion. One that nobody has sent for `days` is used only by spans that came before, so only by traces that existed
 * then; where `days` are more than traces are kept, next to none of those is left. `days` must be one at least.
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

/** The sources, in hexadecimal digits, that were not seen since then and in no span yet. */
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
 * Takes out of `unused` what spans of the next traces have. Traces go by their id, which never changes: in the order of
 * their start, one could pass the walk unseen. Gives the last trace; null after the last of all.
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

/** Whoever sends one again says so first, or puts it back. */
async function deleteThese(db: EntityManager, { workspaceId, since, unused }: Walk): Promise<void> {
  await db.query(
    `DELETE FROM span_sources WHERE workspace_id = $1 AND last_seen_at < $3
        AND hash IN (SELECT decode(digits, 'hex') FROM unnest($2::text[]) AS digits)`,
    [workspaceId, [...unused], since],
  );
}
