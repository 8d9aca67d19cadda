import type { JsonValue } from '../../platform/json.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import type { ColumnGuard, GuardCondition, GuardEdge, GuardSide } from '../columns/column-guard.js';
import { compareValues } from './compare-values.js';

/** The state of a source's cell in a row. */
export interface SourceState {
  value: JsonValue;
  hasFailed: boolean;
  wasSkipped: boolean;
}

/** The state of the cell of a column, by its key. */
export type StateOf = (columnKey: string) => SourceState;

/** Whether a cell is computed: `compute`, `skip`, or why it fails. */
export type Verdict = 'compute' | 'skip' | { problem: string };

type Taken = 'yes' | 'no' | { problem: string };

/** The columns that a column with a guard depends on. */
interface Dependencies {
  /** Computed columns. */
  sources: SheetColumn[];
  /** Whether there are also columns that are not computed, such as inputs. */
  hasInputs: boolean;
  /** Columns whose values the conditions compare. */
  compared: SheetColumn[];
}

/** Decides whether the cells of a column with a guard are computed. */
export class RowGuard {
  private constructor(
    private readonly guard: ColumnGuard,
    private readonly columns: SheetColumns,
    private readonly dependsOn: Dependencies,
  ) {}

  /** null for a column without a guard. */
  static of(columns: SheetColumns, column: SheetColumn): RowGuard | null {
    const { guard } = column;
    if (!guard) return null;
    const sourceIds = new Set(columns.edgesOf(column).map(({ sourceId }) => sourceId));
    const sources = columns.computed.filter(({ id }) => sourceIds.has(id));
    const compared = new Set(guard.edges.flatMap(({ conditions }) => conditions.flatMap(sidesOf)));
    return new RowGuard(guard, columns, {
      sources,
      hasInputs: sourceIds.size > sources.length,
      compared: columns.list.filter(({ id }) => compared.has(id)),
    });
  }

  /** Columns whose values are compared. */
  get comparedKeys(): string[] {
    return this.dependsOn.compared.map(({ key }) => key);
  }

  /** Columns whose failed and skipped cells matter. */
  get askedKeys(): string[] {
    const { sources, compared } = this.dependsOn;
    return [...sources, ...compared].map(({ key }) => key);
  }

  verdict(stateOf: StateOf): Verdict {
    const { sources, hasInputs } = this.dependsOn;
    const states = sources.map(({ key }) => stateOf(key));
    const ways = this.guard.edges.map((edge) => this.isTaken(edge, stateOf));
    if (ways.length > 0 && ways.every((way) => way === 'no')) return 'skip';
    // Without edges, every dependency leads to the column.
    const isReached = hasInputs || states.some(({ wasSkipped }) => !wasSkipped);
    if (states.length > 0 && !isReached) return 'skip';
    const failed = states.findIndex(({ hasFailed }) => hasFailed);
    if (failed >= 0) return failedSource(sources[failed]!);
    return ways.includes('yes') ? 'compute' : (ways.find((way) => typeof way === 'object') ?? 'compute');
  }

  private isTaken({ sourceId, isAnd, conditions }: GuardEdge, stateOf: StateOf): Taken {
    const source = this.columns.find(sourceId);
    if (!source) return { problem: 'A column that leads here was deleted.' };
    const { wasSkipped, hasFailed } = stateOf(source.key);
    if (wasSkipped) return 'no';
    if (hasFailed) return failedSource(source);
    const holds = conditions.map((condition) => this.holds(condition, stateOf));
    const decided = isAnd ? holds.every((each) => each === true) : holds.includes(true);
    if (decided) return 'yes';
    // A condition that cannot be judged matters only where the others do not decide.
    if (isAnd && holds.includes(false)) return 'no';
    return holds.find((each) => typeof each === 'object') ?? 'no';
  }

  private holds({ operator, left, right }: GuardCondition, stateOf: StateOf): boolean | { problem: string } {
    const sides = [left, right].map((side) => this.valueOf(side, stateOf));
    const problem = sides.find((side) => 'problem' in side);
    if (problem) return problem as { problem: string };
    const [a, b] = sides as { value: JsonValue }[];
    return compareValues(operator, a!.value, b!.value);
  }

  private valueOf(side: GuardSide | null, stateOf: StateOf): { value: JsonValue } | { problem: string } {
    if (side === null) return { value: null };
    if ('value' in side) return side;
    const column = this.columns.find(side.columnId);
    if (!column) return { problem: 'A column that a condition compares was deleted.' };
    const { value, hasFailed, wasSkipped } = stateOf(column.key);
    if (hasFailed) return failedSource(column);
    return { value: wasSkipped ? null : value };
  }
}

function failedSource({ title }: SheetColumn): { problem: string } {
  return { problem: `"${title}" failed in this row.` };
}

function sidesOf({ left, right }: GuardCondition): string[] {
  return [left, right].flatMap((side) => (side && 'columnId' in side ? side.columnId : []));
}
