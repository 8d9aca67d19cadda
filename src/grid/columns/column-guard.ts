import type { JsonValue } from '../../platform/json.js';

export const GUARD_OPERATORS = ['=', '!=', '<', '>', '<=', '>=', 'in', 'not_in', 'is_null', 'is_not_null'] as const;
export type GuardOperator = (typeof GUARD_OPERATORS)[number];

/** The value of a column in the same row, by its id, or a fixed value. */
export type GuardSide = { columnId: string } | { value: JsonValue };

export interface GuardCondition {
  operator: GuardOperator;
  left: GuardSide;
  /** null for operators with one operand. */
  right: GuardSide | null;
}

/** An edge from a source to the column, which is taken when its conditions hold: all of them, or any. */
export interface GuardEdge {
  sourceId: string;
  isAnd: boolean;
  conditions: GuardCondition[];
}

/**
 * Makes a computed column a step of a run, whose cell is only computed under conditions:
 *
 * - It is skipped when it has edges and none of them is taken, or when it reads computed columns and all of them were
 *   skipped.
 * - It fails when a computed column that it depends on has failed, also where it only waits for that.
 * - It reads only the columns in its config, its given dependencies, and columns that are not computed. The result of a
 *   type that reads everything to its left therefore does not depend on which steps have finished.
 * - A row without any text is a row like others.
 *
 * All columns that a guard names must be sources of the column.
 */
export interface ColumnGuard {
  edges: GuardEdge[];
}

/** Text of skipped cells. Their value is null, and they are up to date. */
export const SKIPPED = 'SKIPPED';
