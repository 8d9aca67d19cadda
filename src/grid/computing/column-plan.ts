import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isPassingDatabaseFailure } from '../../platform/errors/failures.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { onBehalfOf } from '../../platform/sandbox/turn-owner.js';
import type { NewCell } from '../cells/cells.queries.js';
import type { CellOutcome, LeftValue, RegisteredColumnType } from '../column-type/column-type.js';
import { parseConfig } from '../column-type/parse-config.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { metadataKeys, type MetadataKeys } from '../columns/metadata-columns.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { RowGuard } from '../guards/row-guard.js';
import { emptyCell, failCell, reasonOf, settleCell, sizeOf } from './cell-result.js';
import { type CellsOf, ColumnInputs } from './column-inputs.js';

/** Rows between pauses. Others can run then: storing results holds the lock of a sheet. */
const ROWS_AT_ONCE = 200;
/** Limit of the characters of results in memory. Further rows are left to another claim. */
const RESULTS_AT_ONCE = 8_000_000;

/** The inputs of rows. */
export interface RowInputs {
  cellsOf: CellsOf;
  /** Input hashes of the stored results, by row. */
  known: ReadonlyMap<number, string | null>;
}

/** The results of the first of the rows, in their order. */
export interface ComputedRows {
  /** Cells to write, in the order of the rows. */
  cells: NewCell[];
  /** Rows whose stored result has the same inputs: there is nothing to write. */
  unchanged: number[];
  /** One more than the last computed row; infinite for all. */
  end: number;
}

/** A cell that waits for its column type. */
interface Waiting {
  cell: NewCell;
  config: JsonObject;
  left: LeftValue[];
}

/** Everything needed to compute the cells of one column. */
export class ColumnPlan {
  /** The columns with the metrics of its cells; null for a column that is not measured. */
  readonly metadata: MetadataKeys | null;
  /** Decides whether a cell is computed; null where all are. */
  readonly guard: RowGuard | null;
  /** Digest of everything that every cell of the column is computed from, besides its inputs. */
  private readonly identity: string;

  private constructor(
    columns: SheetColumns,
    readonly column: SheetColumn,
    readonly type: RegisteredColumnType,
    readonly inputs: ColumnInputs,
  ) {
    const { name, revision = 1, readsTitles = false, measured } = type.options;
    this.identity = hash('sha256', JSON.stringify([name, revision, ...inputs.identity(readsTitles)]));
    this.guard = RowGuard.of(columns, column);
    this.metadata = measured ? metadataKeys(columns, column) : null;
  }

  static of(columns: SheetColumns, column: SheetColumn): ColumnPlan {
    const type = columns.type(column);
    const inputs = ColumnInputs.of(columns, column, type, parseConfig(type, column.config));
    return new ColumnPlan(columns, column, type, inputs);
  }

  get sourceKeys(): string[] {
    const { sourceKeys } = this.inputs;
    return this.guard ? [...new Set([...sourceKeys, ...this.guard.comparedKeys])] : sourceKeys;
  }

  /** Whether this process computes the cells at once, instead of waiting for another one. */
  get isImmediate(): boolean {
    return !this.type.plugin.computeMany;
  }

  /** The digest of a cell's inputs. `more` identifies what the result depends on besides. */
  hashOf(values: JsonValue[], more = ''): string {
    return hash('sha256', this.identity + more + JSON.stringify(values));
  }

  /**
   * Computes the cells of rows, as many as fit into memory. A cell that cannot be computed fails with the reason,
   * without affecting others.
   */
  async compute(rows: Iterable<number>, { cellsOf, known }: RowInputs): Promise<ComputedRows> {
    const read = this.inputs.reader(cellsOf);
    const computed: ComputedRows = { cells: [], unchanged: [], end: Infinity };
    let size = 0;
    let seen = 0;
    const waiting: Waiting[] = [];
    for (const rowIndex of rows) {
      if (++seen % ROWS_AT_ONCE === 0) await setImmediate();
      const row = read(rowIndex);
      const cell = emptyCell(this.column.key, rowIndex);
      if ('problem' in row) {
        computed.cells.push(failCell(cell, row.problem));
        continue;
      }
      cell.inputHash = this.hashOf(row.values);
      if (cell.inputHash === known.get(rowIndex)) {
        computed.unchanged.push(rowIndex);
        continue;
      }
      computed.cells.push(cell);
      const [config, left] = [this.inputs.resolve(row.values), this.inputs.leftOf(row.values)];
      if (this.isImmediate) this.settle(cell, () => this.type.plugin.compute!(config, this.inputs.list, left));
      else waiting.push({ cell, config, left });
      size += sizeOf(cell.value);
      if (size < RESULTS_AT_ONCE) continue;
      computed.end = rowIndex + 1;
      break;
    }
    if (waiting.length > 0) await this.computeMany(waiting);
    return computed;
  }

  private async computeMany(waiting: Waiting[]): Promise<void> {
    let outcomes: CellOutcome[];
    try {
      const configs = waiting.map(({ config }) => config);
      const lefts = waiting.map(({ left }) => left);
      const compute = () => this.type.plugin.computeMany!(configs, this.inputs.list, lefts);
      outcomes = await onBehalfOf({ workspaceId: this.column.workspaceId, keyId: null }, compute);
    } catch (error) {
      if (isPassingDatabaseFailure(error)) throw error;
      outcomes = waiting.map(() => ({ error: reasonOf(error, this.column.type) }));
    }
    waiting.forEach(({ cell }, index) => {
      const outcome = outcomes[index] ?? { error: `${this.column.type} gave no outcome for this row.` };
      if ('error' in outcome) failCell(cell, outcome.error);
      else this.settle(cell, () => outcome.value);
    });
  }

  private settle(cell: NewCell, compute: () => unknown): void {
    settleCell(cell, this.column.type, compute);
  }
}
