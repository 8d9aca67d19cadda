import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { fitsJsonLimits } from '../../../platform/json-limits.js';
import type { JsonObject, JsonValue } from '../../../platform/json.js';
import { safeJson, safeText } from '../../../platform/safe-text.js';
import { EvaluationError } from '../../../platform/untrusted/evaluation-error.js';
import {
  CellFailure,
  type CellOutcome,
  type ComputingColumnType,
  type LeftValue,
  type RegisteredColumnType,
} from '../column-type/column-type.js';
import { parseConfig } from '../column-type/parse-config.js';
import { asText } from '../column-type/values.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import type { NewCell } from '../cells/cells.queries.js';
import { ColumnInputs, type CellsOf } from './column-inputs.js';

/** Largest result of a cell, in characters of its text or JSON, and how deep it may nest. */
const MAX_RESULT = 10_000_000;
const RESULT_LIMITS = { depth: 200, containers: 2_000_000 };

/** Between them others have their turn: whoever stores results holds the lock of a sheet meanwhile. */
const ROWS_AT_ONCE = 200;

/** What rows are computed from. */
export interface RowInputs {
  cellsOf: CellsOf;
  /** What stored results were computed from: row → input hash. */
  known: ReadonlyMap<number, string | null>;
}

export interface ComputedRows {
  /** Cells to write, in the order of the rows. */
  cells: NewCell[];
  /** Rows whose stored result was computed from the very same inputs: there is nothing to write. */
  unchanged: number[];
}

/** A cell that waits for the outcome of its column type. */
interface Waiting {
  cell: NewCell;
  config: JsonObject;
  left: LeftValue[];
}

/** Everything needed to compute the cells of one column. */
export class ColumnPlan {
  /** Digest of what every cell of the column is computed from, besides its inputs. */
  private readonly identity: string;
  private readonly plugin: ComputingColumnType;

  private constructor(
    readonly column: SheetColumn,
    readonly inputs: ColumnInputs,
    type: RegisteredColumnType,
  ) {
    const { name, revision = 1, readsTitles = false } = type.options;
    this.plugin = type.plugin;
    this.identity = hash('sha256', JSON.stringify([name, revision, ...inputs.identity(readsTitles)]));
  }

  static of(columns: SheetColumns, column: SheetColumn): ColumnPlan {
    const type = columns.type(column);
    const inputs = ColumnInputs.of(columns, column, type, parseConfig(type, column.config));
    return new ColumnPlan(column, inputs, type);
  }

  get sourceKeys(): string[] {
    return this.inputs.sourceKeys;
  }

  /** Whether cells are computed by this process at once, instead of by somebody it waits for. */
  get isImmediate(): boolean {
    return !this.plugin.computeMany;
  }

  /** Computes the cells of rows. A cell that cannot be computed fails alone, with the reason. */
  async compute(rows: Iterable<number>, { cellsOf, known }: RowInputs): Promise<ComputedRows> {
    const read = this.inputs.reader(cellsOf);
    const results: ComputedRows = { cells: [], unchanged: [] };
    const waiting: Waiting[] = [];
    let seen = 0;
    for (const rowIndex of rows) {
      if (++seen % ROWS_AT_ONCE === 0) await setImmediate();
      const row = read(rowIndex);
      const cell: NewCell = { columnKey: this.column.key, rowIndex, value: null, displayValue: null, inputHash: null };
      if ('problem' in row) {
        fail(cell, row.problem);
      } else {
        cell.inputHash = hash('sha256', this.identity + JSON.stringify(row.values));
        if (cell.inputHash === known.get(rowIndex)) {
          results.unchanged.push(rowIndex);
          continue;
        }
        const [config, left] = [this.inputs.resolve(row.values), this.inputs.leftOf(row.values)];
        if (!this.isImmediate) waiting.push({ cell, config, left });
        else this.settle(cell, () => this.plugin.compute!(config, this.inputs.list, left));
      }
      results.cells.push(cell);
    }
    if (waiting.length > 0) await this.computeMany(waiting);
    return results;
  }

  private async computeMany(waiting: Waiting[]): Promise<void> {
    let outcomes: CellOutcome[];
    try {
      const configs = waiting.map(({ config }) => config);
      const lefts = waiting.map(({ left }) => left);
      outcomes = await this.plugin.computeMany!(configs, this.inputs.list, lefts);
    } catch (error) {
      outcomes = waiting.map(() => ({ error: this.reason(error) }));
    }
    waiting.forEach(({ cell }, index) => {
      const outcome = outcomes[index] ?? { error: `${this.column.type} gave no outcome for this row.` };
      if ('error' in outcome) fail(cell, outcome.error);
      else this.settle(cell, () => outcome.value);
    });
  }

  /** A plugin that breaks fails this cell, not the job. */
  private settle(cell: NewCell, compute: () => unknown): void {
    try {
      cell.value = toStorable(compute());
    } catch (error) {
      fail(cell, this.reason(error));
    }
  }

  private reason(error: unknown): string {
    if (error instanceof CellFailure || error instanceof EvaluationError) return error.message;
    return `${this.column.type} could not compute: ${String(error)}`;
  }
}

function fail(cell: NewCell, error: string): void {
  cell.value = null;
  cell.inputHash = null;
  cell.error = safeText(error);
}

/** Whatever a plugin gives back as the JSON that will be read again. Throws what JSON.stringify throws. */
function toStorable(result: unknown): JsonValue {
  if (typeof result === 'boolean' || result === null || Number.isFinite(result)) return result as JsonValue;
  if (typeof result === 'string') return safeText(fitting(result));
  const json = fitting(JSON.stringify(result) ?? 'null');
  if (!fitsJsonLimits(json, RESULT_LIMITS)) throw new CellFailure('The result nests too deeply.');
  return safeJson(JSON.parse(json) as JsonValue);
}

function fitting(text: string): string {
  if (text.length > MAX_RESULT) throw new CellFailure(`The result is longer than ${MAX_RESULT} characters.`);
  return text;
}

/** True for what a person would call an empty cell. */
export function isBlank(value: JsonValue | undefined): boolean {
  return value === null || value === undefined || asText(value) === '';
}
