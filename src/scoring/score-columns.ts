import type { SheetColumn } from '../grid/columns/column.entity.js';
import type { SheetColumns } from '../grid/columns/sheet-columns.js';
import type { ScoreConfiguration } from './score-configuration.entity.js';

/** Types whose cells are verdicts, in contrast to judged values and to metrics. */
const VERDICT_TYPES = new Set([
  'COMPARE',
  'CONTAINS',
  'REGEX',
  'ASSERT_VALID',
  'MATH_OPERATOR',
  'LLM_ASSERTION',
  'COSINE_SIMILARITY',
  'ABSOLUTE_NUMERIC_DISTANCE',
  'TRAJECTORY',
  'STRUCTURE',
  'MAX_TOOL_CALLS',
  'NO_INVALID_TOOL_CALLS',
  'TOOL_EVALUATOR',
  'HUMAN',
]);

/** The default output columns for the score of a sheet. */
export function verdictColumns(columns: SheetColumns): SheetColumn[] {
  return outputs(columns).filter(({ type }) => VERDICT_TYPES.has(type));
}

/** The computed output columns that may replace them, the last one first. */
export function defaultCandidates(columns: SheetColumns): SheetColumn[] {
  return outputs(columns)
    .filter((column) => columns.isComputed(column))
    .toReversed();
}

function outputs(columns: SheetColumns): SheetColumn[] {
  return columns.list.filter(({ owner, isOutputColumn }) => owner === 'sheet' && isOutputColumn);
}

/** The existing columns that a configuration names; null when it names none. */
export function configuredColumns(
  columns: SheetColumns,
  { config }: Pick<ScoreConfiguration, 'config'>,
): SheetColumn[] | null {
  return config.column_ids?.flatMap((id) => columns.find(id) ?? []) ?? null;
}
