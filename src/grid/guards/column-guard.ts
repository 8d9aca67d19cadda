import type { JsonValue } from '../../platform/json.js';

export const GUARD_OPERATORS = ['=', '!=', '<', '>', '<=', '>=', 'in', 'not_in', 'is_null', 'is_not_null'] as const;
export type GuardOperator = (typeof GUARD_OPERATORS)[number];

/** The value of a column in the same row, by its id, or one that is given. */
export type GuardSide = { columnId: string } | { value: JsonValue };

export interface GuardCondition {
  operator: GuardOperator;
  left: GuardSide;
  /** null for operators that look at one side only. */
  right: GuardSide | null;
}

/** A way from a source into the column, which is taken when its conditions hold: all of them, or any. */
export interface GuardEdge {
  sourceId: string;
  isAnd: boolean;
  conditions: GuardCondition[];
}

/**
 * Makes a computed column a step of a run, whose cell is only computed when there is a reason to:
 *
 * - It is skipped when it has edges and none of them is taken, or when it reads computed columns and all of them were skipped.
 * - It fails when a computed column that it depends on has failed, also where it only waits for that.
 * - It reads nothing but its config names and what it was told to depend on, besides columns that are not computed: the result
 *   of a type that reads everything to its left does not depend on what happens to be done.
 * - A row without any text is a row like others.
 *
 * All columns that a guard names must be sources of the column.
 */
export interface ColumnGuard {
  edges: GuardEdge[];
}

/** What the cells show that were skipped. Their value is null, and they are up to date. */
export const SKIPPED = 'SKIPPED';
