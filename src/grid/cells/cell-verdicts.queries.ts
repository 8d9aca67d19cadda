import type { EntityManager } from 'typeorm';
import { int4Array, int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { truthOf } from '../../platform/filters/json-value-sql.js';
import { TEXT_LENGTH } from './cell-texts.queries.js';
import type { GridRange } from './cells.queries.js';

/** Verdicts of a cell, for filters. */
export const CELL_VERDICTS = ['yes', 'no'] as const;
export type CellVerdict = (typeof CELL_VERDICTS)[number];

/** The verdict of a judged cell: the number of questions answered yes, and the reason of the first other one. */
export interface CellJudgement {
  columnKey: string;
  rowIndex: number;
  yes: number;
  questions: number;
  reasoning: string | null;
}

/**
 * The condition that a jsonb value has a verdict: a boolean or its text, or judgements by question. Judgements are a no when one of them
 * is.
 */
export function verdictSql(value: string, verdict: CellVerdict): string {
  const holds = (answer: boolean) => `jsonb_path_exists(${value}, '$.*.value ? (@ == ${answer})', '{}', true)`;
  const judged = verdict === 'no' ? holds(false) : `${holds(true)} AND NOT ${holds(false)}`;
  const truth = `${truthOf(value)} IS ${verdict === 'yes' ? 'TRUE' : 'FALSE'}`;
  return `(CASE WHEN jsonb_typeof(${value}) = 'object' THEN ${judged} ELSE ${truth} END)`;
}

/** Values that are no judgements have no line. */
const judgements = (cells: string): string => `
  SELECT c."columnKey", c."rowIndex", count(*)::int AS questions,
         (count(*) FILTER (WHERE j.judged -> 'value' = 'true'))::int AS yes,
         (array_agg(left(j.judged ->> 'reasoning', ${TEXT_LENGTH}) ORDER BY j.judged -> 'value' = 'true', j.place))[1] AS reasoning
    FROM (${cells}) c,
         jsonb_each(CASE WHEN jsonb_typeof(c.value) = 'object' THEN c.value ELSE '{}' END) WITH ORDINALITY j (question, judged, place)
   GROUP BY c."columnKey", c."rowIndex"
  HAVING bool_and(coalesce(jsonb_typeof(j.judged -> 'value') = 'boolean', FALSE))`;

const CELL = 'SELECT column_key AS "columnKey", row_index AS "rowIndex", value';
const OF_COLUMNS = 'workspace_id = $1 AND column_key = ANY($2::bigint[])';
const IN_RANGE = `${OF_COLUMNS} AND row_index >= $3 AND row_index < $4`;

const READ = new Statement<CellJudgement>(judgements(`${CELL} FROM cells WHERE ${IN_RANGE}`));
const READ_OF_ROWS = new Statement<CellJudgement>(
  judgements(`${CELL} FROM cells WHERE ${OF_COLUMNS} AND row_index = ANY($3::int[])`),
);
const READ_AT = new Statement<CellJudgement>(
  judgements(`${CELL} FROM cells WHERE ${IN_RANGE} AND version <= $5
    UNION ALL ${CELL} FROM cell_history WHERE ${IN_RANGE} AND version_from <= $5 AND version_to > $5`),
);

/** The judgements of a range, or only of some rows in it, in no particular order; now, or at a version. */
export function readJudgements(
  tx: EntityManager,
  { workspaceId, columnKeys, rows, single }: GridRange & { single?: number[] },
  version: number | null = null,
): Promise<CellJudgement[]> {
  const columns = [workspaceId, int8Array(columnKeys.map(Number))];
  if (version !== null) return READ_AT.run(tx, [...columns, rows.from, rows.to, version]);
  if (single) return READ_OF_ROWS.run(tx, [...columns, int4Array(single)]);
  return READ.run(tx, [...columns, rows.from, rows.to]);
}
