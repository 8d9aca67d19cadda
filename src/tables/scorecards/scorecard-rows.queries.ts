import type { EntityManager } from 'typeorm';
import { Columns } from '../../platform/database/columns.js';
import { Statement } from '../../platform/database/statement.js';
import { type ClaimedRow, CLAIM_HOLDS, keyOfClaim } from '../../platform/work/row-work.js';
import { WorkAborted } from '../../platform/work/work-kind.js';
import { noVerdicts, type VerdictCounts } from './criterion.js';
import type { ScorecardCalculation } from './scorecard-calculation.entity.js';
import type { ScorecardRow, StoredStep } from './scorecard-row.entity.js';
import type { Verdict } from './verdicts.js';

type CalculationKey = Pick<ScorecardCalculation, 'workspaceId' | 'id'>;

/** The result of a calculation for a row, before it is stored. */
export type NewScorecardRow = Omit<ScorecardRow, 'workspaceId' | 'calculationId'>;

const COLUMNS = new Columns<NewScorecardRow>({
  row_index: ['int4', (row) => row.rowIndex],
  verdict: ['text', (row) => row.verdict],
  score: ['float8', (row) => row.score],
  previous_verdict: ['text', (row) => row.previousVerdict],
  previous_score: ['float8', (row) => row.previousScore],
  is_source_stale: ['bool', (row) => row.isSourceStale],
  input_hash: ['bytea', (row) => row.inputHash],
  steps: ['jsonb', (row) => JSON.stringify(row.steps)],
});

const names = COLUMNS.names.join(', ');
const after = COLUMNS.names.length;
const claimHolds = CLAIM_HOLDS.replace(/\$(\d)/g, (_, place: string) => `$${after + Number(place)}`);

/** Upsert: another worker writes the same rows again after taking over. */
const INSERT = new Statement<{ held: boolean }>(`
  WITH held AS MATERIALIZED (
    SELECT FROM scorecard_calculations WHERE ${claimHolds}
  ), inserted AS (
    INSERT INTO scorecard_rows (workspace_id, calculation_id, ${names})
    SELECT $${after + 1}, $${after + 2}, ${names} FROM (${COLUMNS.selection}) n WHERE EXISTS (SELECT FROM held)
    ON CONFLICT (workspace_id, calculation_id, row_index) DO UPDATE SET
      ${COLUMNS.names
        .slice(1)
        .map((name) => `${name} = excluded.${name}`)
        .join(', ')})
  SELECT EXISTS (SELECT FROM held) AS held`);

/**
 * Stores results of a claim with one statement. Throws when another worker has taken over, or the calculation was
 * cancelled.
 */
export async function insertRows(db: EntityManager, claim: ClaimedRow, rows: NewScorecardRow[]): Promise<void> {
  const [answer] = await INSERT.run(db, [...COLUMNS.values(rows), ...keyOfClaim(claim)]);
  if (!answer!.held) throw new WorkAborted('lease_lost');
}

/** Deletes results of an earlier attempt for rows that were deleted meanwhile. */
export async function clearRows(db: EntityManager, { workspaceId, id }: CalculationKey): Promise<void> {
  await db.query('DELETE FROM scorecard_rows WHERE workspace_id = $1 AND calculation_id = $2', [workspaceId, id]);
}

const READ_RANGE = new Statement<PastRow & { rowIndex: number }>(`
  SELECT row_index AS "rowIndex", is_source_stale AS "isSourceStale", steps FROM scorecard_rows
   WHERE workspace_id = $1 AND calculation_id = $2 AND row_index >= $3 AND row_index < $4`);

export interface PastRow {
  isSourceStale: boolean;
  steps: StoredStep[];
}

/** The scores of a row in the baseline. */
export interface ComparedRow {
  verdict: Verdict;
  score: number | null;
  /** Scores of its steps. */
  scores: (number | null)[];
}

const READ_COMPARED = new Statement<ComparedRow & { rowIndex: number }>(`
  SELECT row_index AS "rowIndex", verdict, score, jsonb_path_query_array(steps, '$[*][1]') AS scores FROM scorecard_rows
   WHERE workspace_id = $1 AND calculation_id = $2 AND row_index >= $3 AND row_index < $4`);

/** The scores of a calculation in some rows, without evidence. */
export async function readComparedRows(
  tx: EntityManager,
  { workspaceId, id }: CalculationKey,
  { from, to }: { from: number; to: number },
): Promise<Map<number, ComparedRow>> {
  const rows = await READ_COMPARED.run(tx, [workspaceId, id, from, to]);
  return new Map(rows.map(({ rowIndex, ...row }) => [rowIndex, row]));
}

/** Reads the results of a calculation for some rows. */
export async function readPastRows(
  tx: EntityManager,
  { workspaceId, id }: CalculationKey,
  { from, to }: { from: number; to: number },
): Promise<Map<number, PastRow>> {
  const rows = await READ_RANGE.run(tx, [workspaceId, id, from, to]);
  return new Map(rows.map(({ rowIndex, ...row }) => [rowIndex, row]));
}

/** A result without its steps. */
export interface RowSummary {
  rowIndex: number;
  verdict: Verdict;
  score: number | null;
  previousVerdict: Verdict | null;
  previousScore: number | null;
  isSourceStale: boolean;
  /** Errors of the steps that failed. */
  errors: string[];
}

export interface RowFilter {
  /** null for any. */
  verdicts: Verdict[] | null;
  /** The step with this verdict; null for the verdict of the row. */
  stepId: string | null;
  /** Rows after this one. */
  after: number | null;
  limit: number;
}

const SUMMARY = `row_index AS "rowIndex", verdict, score, previous_verdict AS "previousVerdict",
  previous_score AS "previousScore", is_source_stale AS "isSourceStale"`;

const READ_SUMMARIES = new Statement<RowSummary>(`
  SELECT ${SUMMARY}, ARRAY(
           SELECT step.value ->> 3 FROM jsonb_array_elements(steps) step WHERE step.value ->> 0 = 'error') AS errors
    FROM scorecard_rows
   WHERE workspace_id = $1 AND calculation_id = $2 AND row_index > $3
     AND ($4::text[] IS NULL OR CASE WHEN $5::int IS NULL THEN verdict ELSE steps -> $5 ->> 0 END = ANY($4))
   ORDER BY row_index LIMIT $6`);

/**
 * Up to `limit + 1` results in the order of the rows. `place` is the position of the filter's step among those of a
 * row.
 */
export function readRowSummaries(
  tx: EntityManager,
  { workspaceId, id }: CalculationKey,
  { verdicts, place, after, limit }: RowFilter & { place: number | null },
): Promise<RowSummary[]> {
  return READ_SUMMARIES.run(tx, [workspaceId, id, after ?? -1, verdicts, place, limit + 1]);
}

const COUNT = new Statement<{ verdict: Verdict; count: number }>(`
  SELECT verdict, count(*)::int AS count FROM scorecard_rows WHERE workspace_id = $1 AND calculation_id = $2 GROUP BY 1`);

/** Rows by verdict; every verdict is present. */
export async function countVerdicts(tx: EntityManager, { workspaceId, id }: CalculationKey): Promise<VerdictCounts> {
  const counts = noVerdicts();
  for (const { verdict, count } of await COUNT.run(tx, [workspaceId, id])) counts[verdict] = count;
  return counts;
}

export type StoredRow = Omit<RowSummary, 'errors'> & Pick<ScorecardRow, 'inputHash' | 'steps'>;

const READ_ROW = new Statement<StoredRow>(`
  SELECT ${SUMMARY}, input_hash AS "inputHash", steps FROM scorecard_rows
   WHERE workspace_id = $1 AND calculation_id = $2 AND row_index = $3`);

/** The complete result of a calculation in a row; null when it has none there. */
export async function readRow(
  tx: EntityManager,
  { workspaceId, id }: CalculationKey,
  rowIndex: number,
): Promise<StoredRow | null> {
  const [row] = await READ_ROW.run(tx, [workspaceId, id, rowIndex]);
  return row ?? null;
}
