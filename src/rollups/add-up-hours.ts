import type { DataSource, EntityManager } from 'typeorm';
import { repeatableTransaction } from '../platform/database/repeatable-transaction.js';
import { allowLongStatements } from '../platform/database/within-time.js';
import type { WorkspaceTurns } from '../platform/queue/workspace-turns.js';
import { changesTable, type HourlyRows, hoursTable, measured, SUMS } from './hourly-rows.js';
import { packedClasses } from './latency-sketch.js';

/** Facets of an hour that have sums of their own, those with the most rows. Others are looked for in the rows. */
const MOST_FACETS = 200;
/** Stands for all hours of a workspace. */
const ALL_HOURS = '-infinity';

/**
 * Adds up the hours that have changed, the newest first, as long as the turns last. An hour that has not ended is left alone, for it
 * changes all the time; readers add up its rows themselves.
 *
 * An hour and the notes of its changes are written in one transaction: the notes are deleted first, and the rows read by a later
 * statement, which sees everything that the deleted notes were about. A change that is committed in between leaves another
 * note. A worker that dies leaves everything as it was, and two that are at the same hour wait for each other at the notes.
 */
export async function addUpHours(db: DataSource, rows: HourlyRows, turns: WorkspaceTurns): Promise<void> {
  const waiting = await changedWorkspaces(db.manager, rows);
  /** By workspace, the hour that was added up last. One that goes on changing must not keep the older ones waiting. */
  const reached = new Map<number, string>();
  await turns.take(waiting, async (workspaceId) => {
    const before = reached.get(workspaceId);
    if (before === undefined) {
      if (await spreadOverHours(db, rows, workspaceId)) return true;
      await mergeOpenNotes(db.manager, rows, workspaceId);
    }
    const hour = await addUpNewest(db, rows, { workspaceId, before });
    if (hour !== null) reached.set(workspaceId, hour);
    return hour !== null;
  });
}

/** Adds up all hours of a workspace that have changed and ended, but for those that others are at. */
export async function addUpHoursOf(db: DataSource, rows: HourlyRows, workspaceId: number): Promise<void> {
  while (await spreadOverHours(db, rows, workspaceId));
  for (let before: string | null = 'infinity'; before !== null;) {
    before = await addUpNewest(db, rows, { workspaceId, before });
  }
}

/** How many sums there are of some facets. */
export async function countSums(
  db: EntityManager,
  rows: HourlyRows,
  { workspaceId, facets }: { workspaceId: number; facets: string[] },
): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM ${hoursTable(rows)} WHERE workspace_id = $1 AND facet = ANY($2::text[])`,
    [workspaceId, facets],
  );
  return row!.count;
}

/** Workspaces are few and notes may be many, so it goes from one workspace to the next in the index. */
async function changedWorkspaces(db: EntityManager, rows: HourlyRows): Promise<number[]> {
  const changes = changesTable(rows);
  const found = await db.query<{ id: number }[]>(`
    WITH RECURSIVE changed (id) AS (
      SELECT min(workspace_id) FROM ${changes}
      UNION ALL
      SELECT (SELECT min(workspace_id) FROM ${changes} WHERE workspace_id > changed.id) FROM changed WHERE id IS NOT NULL)
    SELECT id FROM changed WHERE id IS NOT NULL`);
  return found.map(({ id }) => id);
}

/** Puts a note for each hour in the place of one for all hours, as there is after an upgrade. */
function spreadOverHours(db: DataSource, rows: HourlyRows, workspaceId: number): Promise<boolean> {
  const changes = changesTable(rows);
  const { column } = rows.start;
  return db.transaction(async (tx) => {
    const [, deleted] = await tx.query<[unknown[], number]>(
      `DELETE FROM ${changes} WHERE workspace_id = $1 AND hour = '${ALL_HOURS}'`,
      [workspaceId],
    );
    if (deleted === 0) return false;
    // From the first row of an hour to the first row of a later one, along the index.
    const next = (after: string) =>
      `(SELECT ${rows.start.hour} FROM ${rows.from} WHERE ${rows.alias}workspace_id = $1 ${after} ORDER BY ${column} LIMIT 1)`;
    await tx.query(
      `WITH RECURSIVE hours (hour) AS (
         SELECT ${next(`AND ${column} IS NOT NULL`)}
         UNION ALL
         SELECT ${next(`AND ${column} >= ${rows.start.ofHour(`hour + interval '1 hour'`)}`)} FROM hours WHERE hour IS NOT NULL)
       INSERT INTO ${changes} (workspace_id, hour)
       SELECT $1, hour FROM hours WHERE hour IS NOT NULL
       UNION SELECT $1, hour FROM ${hoursTable(rows)} WHERE workspace_id = $1`,
      [workspaceId],
    );
    return true;
  });
}

/** Every batch of ingestion leaves a note on the hours that have not ended. One of each says as much. */
async function mergeOpenNotes(db: EntityManager, rows: HourlyRows, workspaceId: number): Promise<void> {
  const changes = changesTable(rows);
  await db.query(
    `WITH deleted AS (
       DELETE FROM ${changes} WHERE workspace_id = $1 AND hour IN (
         SELECT hour FROM ${changes} WHERE workspace_id = $1 AND hour > ${LAST_ENDED} GROUP BY hour HAVING count(*) > 1)
       RETURNING hour)
     INSERT INTO ${changes} (workspace_id, hour) SELECT DISTINCT $1::int, hour FROM deleted`,
    [workspaceId],
  );
}

/** The newest hour that has ended. */
const LAST_ENDED = `date_bin('1 hour', now() - interval '1 hour', '2000-01-01 00:00:00+00')`;

interface Earlier {
  workspaceId: number;
  /** Only hours before this one are meant, when it is given. */
  before: string | undefined;
}

/** Gives the hour; null when nothing is left, but for what others are working on. */
function addUpNewest(db: DataSource, rows: HourlyRows, which: Earlier): Promise<string | null> {
  return repeatableTransaction(db, async (tx) => {
    const hour = await takeNewest(tx, rows, which);
    if (hour === null) return null;
    const values = [which.workspaceId, hour];
    await allowLongStatements(tx);
    await tx.query(`SET LOCAL work_mem = '64MB'`);
    await tx.query(`DELETE FROM ${hoursTable(rows)} WHERE workspace_id = $1 AND hour = $2::timestamptz`, values);
    await tx.query(insertion(rows), values);
    return hour;
  });
}

/** Deletes the notes of an hour; gives the hour. */
async function takeNewest(
  tx: EntityManager,
  rows: HourlyRows,
  { workspaceId, before }: Earlier,
): Promise<string | null> {
  const changes = changesTable(rows);
  const [[taken]] = await tx.query<[{ hour: string }[], number]>(
    `DELETE FROM ${changes} WHERE workspace_id = $1 AND hour = (
       SELECT hour FROM ${changes}
        WHERE workspace_id = $1 AND hour <= ${LAST_ENDED} AND hour < coalesce($2::timestamptz, 'infinity')
        ORDER BY hour DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING hour::text`,
    [workspaceId, before ?? null],
  );
  return taken?.hour ?? null;
}

/** Sums of all rows of an hour, and of those with each facet, by origin. */
function insertion(rows: HourlyRows): string {
  const { start, origin, facets, facetsCut = 'false', alias, from, facetsFrom = '' } = rows;
  const columns = 'count, failed, unpriced, cost, input_tokens, output_tokens';
  const summed = columns.split(', ').map((column) => `sum(${column}) AS ${column}`);
  return `
    INSERT INTO ${hoursTable(rows)} (workspace_id, hour, facet, origin, ${columns}, latencies, facets_cut)
    WITH measured AS MATERIALIZED (
      SELECT ${measured(rows)}, ${origin} AS origin, ${facets} AS facets, ${facetsCut} AS is_cut FROM ${from} ${facetsFrom}
       WHERE ${alias}workspace_id = $1 AND ${start.column} >= ${start.ofHour('$2::timestamptz')}
         AND ${start.column} < ${start.ofHour(`$2::timestamptz + interval '1 hour'`)}),
    named AS (
      SELECT '' AS facet, measured.* FROM measured
      UNION ALL SELECT facet, measured.* FROM measured, unnest(facets) AS facet
       WHERE NOT EXISTS (SELECT FROM measured WHERE is_cut)),
    classes AS (SELECT facet, origin, latency, ${SUMS} FROM named GROUP BY facet, origin, latency),
    sums AS (
      SELECT facet, origin, ${summed.join(', ')}, ${packedClasses('latency', 'count')} AS latencies
        FROM classes GROUP BY facet, origin),
    ranked AS (
      SELECT facet, row_number() OVER (ORDER BY facet <> '', sum(count) DESC, facet COLLATE "C") AS place
        FROM sums GROUP BY facet)
    SELECT $1, $2::timestamptz, facet, origin, ${columns}, latencies,
           facet = '' AND ((SELECT count(*) > ${MOST_FACETS + 1} FROM ranked) OR EXISTS (SELECT FROM measured WHERE is_cut))
      FROM sums JOIN ranked USING (facet) WHERE place <= ${MOST_FACETS + 1}`;
}
