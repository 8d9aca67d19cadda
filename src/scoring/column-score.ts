import type { JsonValue } from '../platform/json.js';
import { asText } from '../grid/column-type/values.js';
import { RunningMean } from './running-mean.js';
import type { AssertionAggregation, ColumnScoringType } from './score-config.js';
import { isEmptyCell, singleNumber, unwrapCell } from '../grid/cells/unwrap-cell.js';

const TRUE_VALUES = ['true', '1', 'yes', 'pass', 'passed'];
const FALSE_VALUES = ['false', '0', 'no', 'fail', 'failed'];

/** Rules for reading cells as passed or failed. */
export class BooleanRules {
  private readonly passes = new Map<string, boolean>();
  private readonly aggregation: AssertionAggregation;

  /** A given list replaces its default, and its values keep that meaning even if the other default contains them. */
  constructor(given: { trueValues?: string[]; falseValues?: string[]; aggregation?: AssertionAggregation }) {
    this.aggregation = given.aggregation ?? 'mean';
    const { trueValues, falseValues } = given;
    const learn = (texts: string[], hasPassed: boolean) => {
      for (const text of texts) this.passes.set(normalised(text), hasPassed);
    };
    if (!falseValues) learn(FALSE_VALUES, false);
    if (!trueValues) learn(TRUE_VALUES, true);
    learn(falseValues ?? [], false);
    learn(trueValues ?? [], true);
  }

  /** From 0 to 1; null for values that are neither passed nor failed. */
  score(values: JsonValue[]): number | null {
    const passed = values.map((value) => this.hasPassed(value));
    if (passed.length === 0 || passed.includes(null)) return null;
    const count = passed.filter(Boolean).length;
    if (this.aggregation === 'all') return count === passed.length ? 1 : 0;
    if (this.aggregation === 'any') return count > 0 ? 1 : 0;
    return count / passed.length;
  }

  private hasPassed(value: JsonValue): boolean | null {
    if (typeof value === 'boolean') return value;
    return this.passes.get(normalised(asText(value))) ?? null;
  }
}

export function normalised(text: string): string {
  return text.trim().toLowerCase();
}

export interface ColumnScore {
  /** null when nothing can be scored. */
  score: number | null;
  /** Rows whose cell counts. */
  included: number;
  /** The kind of the cells; null when it could not be determined. */
  resolved: 'boolean' | 'numeric' | null;
  /** Cells that passed completely. */
  passed: number;
}

const NOTHING: ColumnScore = { score: null, included: 0, resolved: null, passed: 0 };

/** The score of a column, collected cell by cell. */
export class ColumnTally {
  /** Whether a cell has a value that is neither passed, failed nor a number. */
  hasOther = false;
  /** The same, or a value that is not a single one, such as a list. */
  private hasUnscorable = false;
  private readonly booleans = new RunningMean();
  private readonly numbers = new RunningMean();
  private passed = 0;
  private either = 0;

  constructor(
    private readonly type: ColumnScoringType,
    private readonly rules: BooleanRules,
    /** Strict: a column with a cell that cannot be scored has no score. Otherwise such cells do not count. */
    private readonly isStrict = false,
  ) {}

  /**
   * Adds a value with its number of cells. Returns whether they count; with `auto` they only do if the column has a
   * score in the end.
   */
  add(value: JsonValue, times = 1): boolean {
    if (times === 0) return false;
    const values = unwrapCell(value);
    if (values.length === 0) return this.leaveOut(value);
    const boolean = this.type === 'numeric' ? null : this.rules.score(values);
    const number = this.type === 'boolean' ? null : numberOf(values);
    if (boolean !== null) this.booleans.add(boolean, times);
    if (boolean === 1) this.passed += times;
    if (number !== null) this.numbers.add(number, times);
    const counts = boolean !== null || number !== null;
    if (counts) this.either += times;
    else this.hasOther = this.hasUnscorable = true;
    return counts;
  }

  /** Handles a cell that does not count. */
  private leaveOut(value: JsonValue): false {
    this.hasUnscorable ||= !isEmptyCell(value);
    return false;
  }

  result(): ColumnScore {
    if (this.isStrict && this.hasUnscorable) return NOTHING;
    const { booleans, numbers, either, passed } = this;
    const resolved = either === 0 ? null : booleans.count === either ? 'boolean' : 'numeric';
    if (resolved === 'boolean') return { score: booleans.value, included: either, resolved, passed };
    if (resolved === null || numbers.count < either) return NOTHING;
    return { score: numbers.value, included: either, resolved, passed: 0 };
  }
}

function numberOf(values: JsonValue[]): number | null {
  const number = singleNumber(values);
  return number !== null && Number.isFinite(number) ? number : null;
}
