import type { DataSource, EntityManager } from 'typeorm';
import { float8Array, int4Array, int8Array, textArray, uuidArray } from '../../platform/database/binary-arrays.js';
import { joinedTransaction } from '../../platform/database/joined-transaction.js';
import { sendTogether } from '../../platform/database/send-together.js';
import { Statement } from '../../platform/database/statement.js';

interface ExecutionKey {
  workspaceId: number;
  executionId: string;
}

/** A request to reserve the next call of a cell. Amounts are US dollars. */
export interface ReservationRequest extends ExecutionKey {
  claim: string;
  columnKey: string;
  row: number;
  /** Estimated cost of the cell until a cell of the column has been computed; null when unknown. */
  estimate: number | null;
  /** Total cost of the cell after its next call; null before its first one. */
  needed: number | null;
}

/**
 * `granted`: the call may begin. `waits`: another call of the execution has to end first. `spent`: no call is running,
 * and the budget does not suffice for another one. `lost`: the claim does not have the cell any more.
 */
export interface Reservation {
  outcome: 'granted' | 'waits' | 'spent' | 'lost';
  /** The amount now reserved for the cell, in US dollars. */
  amount: number;
}

/** Tolerance of comparisons with the limit: sums of doubles differ in the last digits. */
const NOISE = 1e-9;

/** Whether the claim of `of` still has its cell. */
const holdsCell = (of: string): string => `
  FROM computation_tasks t WHERE t.workspace_id = $1 AND t.execution_id = $2 AND t.claim = ${of}.claim
   AND t.column_key = ${of}.column_key AND t.rows @> ${of}.row_index`;

/** The highest cost of a cell in the column of `of`; null before the first one. */
const dearest = (of: string): string => `(e.dearest_cells ->> ${of}.column_key::text)::float8`;

/** Reservations of the execution $2. A cell counts at least as much as the most expensive one of its column. */
const RESERVED = `
  SELECT r.*, greatest(r.amount, ${dearest('r')}) AS value, ${dearest('r')} IS NULL AS is_unknown,
         EXISTS (SELECT ${holdsCell('r')} AND t.lease_until > now()) AS is_live
    FROM call_reservations r JOIN executions e ON e.workspace_id = $1 AND e.id = r.execution_id
   WHERE r.workspace_id = $1 AND r.execution_id = $2`;

/** A separate statement, because the one that reserves has to see earlier reservations of others. */
const LOCK_EXECUTION = new Statement('SELECT FROM executions WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE');

/**
 * Reserves in the order of the requests, within the budget. While the cost of a column's cells is unknown, only one of
 * its calls runs at a time. It may begin with any budget left: an estimate may be far too high.
 */
const RESERVE = new Statement<{ holds: boolean; amount: number | null; isSpent: boolean }>(`
  WITH budget AS MATERIALIZED (
    SELECT * FROM executions WHERE workspace_id = $1 AND id = $2 AND finished_at IS NULL
  ), asked AS MATERIALIZED (
    SELECT a.*, EXISTS (SELECT ${holdsCell('a')}) AS holds, a.needed IS NULL AND ${dearest('a')} IS NULL AS is_unknown,
           greatest(CASE WHEN ${dearest('a')} IS NULL THEN coalesce(a.needed, a.estimate) ELSE a.needed END, ${dearest('a')}, 0) AS amount
      FROM budget e, unnest($3::uuid[], $4::bigint[], $5::int[], $6::float8[], $7::float8[])
        WITH ORDINALITY AS a (claim, column_key, row_index, estimate, needed, place)
  ), reserved AS MATERIALIZED (
    SELECT * FROM (${RESERVED}) r
     WHERE (r.claim, r.column_key, r.row_index) NOT IN (SELECT claim, column_key, row_index FROM asked)
  ), rest AS MATERIALIZED (
    SELECT e.max_cost - e.cost - coalesce((SELECT sum(value) FROM reserved), 0) AS dollars, e.max_cost * ${NOISE} AS noise FROM budget e
  ), possible AS (
    SELECT a.place, a.is_unknown, CASE WHEN a.is_unknown THEN greatest(least(a.amount, r.dollars), 0) ELSE a.amount END AS amount,
           row_number() OVER (PARTITION BY a.is_unknown ORDER BY a.place) AS turn
      FROM asked a, rest r WHERE a.holds
  ), sums AS (
    SELECT place, amount, sum(amount) OVER (ORDER BY place) AS total FROM possible
     WHERE NOT is_unknown OR turn = 1 AND NOT EXISTS (SELECT FROM reserved WHERE is_unknown AND is_live)
  ), granted AS (
    INSERT INTO call_reservations AS r (workspace_id, execution_id, claim, column_key, row_index, amount)
    SELECT $1, $2, a.claim, a.column_key, a.row_index, s.amount
      FROM sums s JOIN asked a ON a.place = s.place, rest r
     WHERE s.total <= r.dollars + r.noise AND s.total - s.amount < r.dollars - r.noise
    ON CONFLICT ON CONSTRAINT call_reservations_pkey DO UPDATE SET amount = EXCLUDED.amount
    RETURNING r.claim, r.column_key, r.row_index, r.amount
  )
  SELECT a.holds, g.amount,
         NOT EXISTS (SELECT FROM granted) AND NOT EXISTS (SELECT FROM reserved WHERE is_live)
           AND NOT EXISTS (SELECT FROM asked WHERE needed IS NOT NULL) AS "isSpent"
    FROM asked a LEFT JOIN granted g ON (g.claim, g.column_key, g.row_index) = (a.claim, a.column_key, a.row_index)
   ORDER BY a.place`);

const LOST: Reservation = { outcome: 'lost', amount: 0 };

/** Reserves the cost of cells of one execution, across all processes; returns the outcome of each request. */
export async function reserveCalls(db: DataSource, requests: ReservationRequest[]): Promise<Reservation[]> {
  const { workspaceId, executionId } = requests[0]!;
  const execution = [workspaceId, executionId];
  const rows = await joinedTransaction(db, async (tx) => {
    await tx.begin([LOCK_EXECUTION.with(execution)]);
    const [found] = await sendTogether(tx.manager, [
      RESERVE.with([
        ...execution,
        uuidArray(requests.map(({ claim }) => claim)),
        int8Array(requests.map(({ columnKey }) => Number(columnKey))),
        int4Array(requests.map(({ row }) => row)),
        float8Array(requests.map(({ estimate }) => estimate)),
        float8Array(requests.map(({ needed }) => needed)),
      ]),
    ]);
    await tx.commit();
    return found;
  });
  return requests.map((_, index) => toReservation(rows[index]));
}

/** An execution that has ended reserves nothing any more. */
function toReservation(row: { holds: boolean; amount: number | null; isSpent: boolean } | undefined): Reservation {
  if (!row?.holds) return LOST;
  if (row.amount !== null) return { outcome: 'granted', amount: row.amount };
  return { outcome: row.isSpent ? 'spent' : 'waits', amount: 0 };
}

/** Results of cells with calls. */
export interface PaidCells {
  columnKey: string;
  rows: number[];
  /** The highest cost of one of them; null when unknown. */
  dearest: number | null;
}

const RELEASE = new Statement(`
  WITH released AS (
    DELETE FROM call_reservations r USING unnest($4::bigint[], $5::int[]) AS c (column_key, row_index)
     WHERE r.workspace_id = $1 AND r.execution_id = $2 AND r.claim = ANY ($3::uuid[])
       AND r.column_key = c.column_key AND r.row_index = c.row_index
  )
  UPDATE executions e SET dearest_cells = e.dearest_cells || d.cells
    FROM (SELECT jsonb_object_agg(key, amount) AS cells FROM (
           SELECT n.key, greatest(max(n.amount), max((e.dearest_cells ->> n.key)::float8)) AS amount
             FROM unnest($6::text[], $7::float8[]) AS n (key, amount), executions e
            WHERE e.workspace_id = $1 AND e.id = $2 GROUP BY n.key) known) d
   WHERE e.workspace_id = $1 AND e.id = $2 AND d.cells IS NOT NULL`);

/** Releases the reservations of claims for these cells, in the transaction that adds their cost to the execution. */
export async function releaseReservations(
  tx: EntityManager,
  { workspaceId, executionId, claims }: ExecutionKey & { claims: string[] },
  paid: PaidCells[],
): Promise<void> {
  const cells = paid.flatMap(({ columnKey, rows }) => rows.map((row) => ({ columnKey, row })));
  const known = paid.filter(({ dearest: amount }) => amount !== null);
  await RELEASE.run(tx, [
    workspaceId,
    executionId,
    uuidArray(claims),
    int8Array(cells.map(({ columnKey }) => Number(columnKey))),
    int4Array(cells.map(({ row }) => row)),
    textArray(known.map(({ columnKey }) => columnKey)),
    float8Array(known.map(({ dearest: amount }) => amount)),
  ]);
}

/** US dollars. */
export interface ReservedCost {
  /** Reserved for running calls. */
  underWay: number;
  /** Reserved for calls whose worker has died or lost them: they may have been paid for. */
  brokenOff: number;
}

export const NOTHING_RESERVED: ReservedCost = { underWay: 0, brokenOff: 0 };

const READ = new Statement<ReservedCost>(`
  SELECT coalesce(sum(value) FILTER (WHERE is_live), 0) AS "underWay",
         coalesce(sum(value) FILTER (WHERE NOT is_live), 0) AS "brokenOff"
    FROM (${RESERVED}) r`);

/** Reads the reserved cost of an execution's calls. */
export async function readReserved(
  db: EntityManager,
  { workspaceId, executionId }: ExecutionKey,
): Promise<ReservedCost> {
  const [reserved] = await READ.run(db, [workspaceId, executionId]);
  return reserved!;
}

const CHARGE = new Statement(`
  WITH broken AS (
    DELETE FROM call_reservations WHERE workspace_id = $1 AND execution_id = ANY ($2::uuid[])
    RETURNING execution_id, column_key, amount
  )
  UPDATE executions x SET cost = x.cost + b.value
    FROM (SELECT e.id, sum(greatest(r.amount, ${dearest('r')})) AS value
            FROM broken r JOIN executions e ON e.workspace_id = $1 AND e.id = r.execution_id GROUP BY e.id) b
   WHERE x.workspace_id = $1 AND x.id = b.id`);

/** Counts calls without a future result as paid, because their executions have ended. */
export async function chargeBrokenCalls(tx: EntityManager, workspaceId: number, executionIds: string[]): Promise<void> {
  if (executionIds.length > 0) await CHARGE.run(tx, [workspaceId, uuidArray(executionIds)]);
}
