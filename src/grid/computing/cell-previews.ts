import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { NewCell } from '../cells/cells.queries.js';
import { CallTools } from './call-tools.js';
import { unlessAborted } from './cell-call.js';
import { emptyCell, failCell } from './cell-result.js';
import { type CallOptions, ExternalColumn, type PreparedRow } from './external-column.js';
import { recallResults, type RememberedResult, rememberResults } from './memo.queries.js';
import { computedRows, settledRows, uncomputedCells, type WorkInputs } from './read-work.js';
import type { RowResult } from './result-store.js';

export interface PreviewOptions {
  /** Whether the results are external. */
  isExternal: boolean;
  /** Aborted when the cells are not needed any more, or at the timeout of all of them. */
  signal: AbortSignal;
  /** Time limit of a cell in milliseconds, unless its type has its own. */
  timeLimitMs: number;
}

/** Computes cells like workers do, without storing them. */
@Injectable()
export class CellPreviews {
  constructor(
    private readonly db: DataSource,
    private readonly tools: CallTools,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Time limit of a cell in milliseconds. */
  get timeLimitMs(): number {
    return this.config.externalTimeLimitMs;
  }

  /** The cells by row. Rows with stale sources have none. Rejects with the reason of the signal. */
  async compute(inputs: WorkInputs, options: PreviewOptions): Promise<Map<number, NewCell>> {
    const { column } = inputs.plan;
    const settled = settledRows(inputs);
    const blank = [...settled].map((row) => emptyCell(column.key, row));
    // The signal ends external cells one by one: finished ones keep their results.
    const computed = options.isExternal
      ? this.external(inputs, options)
      : unlessAborted(formulas(inputs), options.signal);
    const cells = await computed;
    const all = [...blank, ...uncomputedCells(inputs, settled), ...cells];
    return new Map(all.filter(({ columnKey }) => columnKey === column.key).map((cell) => [cell.rowIndex, cell]));
  }

  private async external(inputs: WorkInputs, { signal, timeLimitMs }: PreviewOptions): Promise<NewCell[]> {
    const column = new ExternalColumn(inputs, this.callOptions(timeLimitMs));
    const { prepared, failed } = await column.prepare(computedRows(inputs));
    const known = await this.recall(inputs, column, prepared);
    const compute = async (row: PreparedRow): Promise<RowResult> => {
      const remembered = known.get(row.key);
      if (remembered) return column.reuse(row, remembered);
      return column.compute(row, signal).catch((error: unknown) => {
        // Timeout: the other cells may be finished.
        if (!signal.aborted) throw error;
        return column.toFailure(row.row, signal.reason);
      });
    };
    const results = [...failed, ...(await Promise.all(prepared.map(compute)))];
    await this.remember(inputs, results);
    return results.flatMap(({ cells }) => cells);
  }

  private async recall(
    { sheet }: WorkInputs,
    column: ExternalColumn,
    prepared: PreparedRow[],
  ): Promise<Map<string, RememberedResult>> {
    if (!column.reusesResults) return new Map();
    const keys = [...new Set(prepared.map(({ key }) => key))];
    const { cellMemoDays: days } = this.config;
    return recallResults(this.db.manager, sheet.workspaceId, keys, { days, origin: column.origin });
  }

  /** Stores the results, so that a column that is added afterwards does not pay for these cells again. */
  private remember({ sheet }: WorkInputs, results: RowResult[]): Promise<void> {
    const memos = results.flatMap(({ memo }) => memo ?? []);
    return rememberResults(this.db.manager, sheet.workspaceId, memos);
  }

  private callOptions(timeLimitMs: number): CallOptions {
    const { externalBackoffMs: backoffMs, cellMemoDays: days } = this.config;
    return {
      timeLimitMs,
      backoffMs,
      tools: this.tools,
      memo: { db: this.db.manager, days },
      origin: 'trial',
      traceOf: null,
      leave: () => undefined,
      rest: (_row, _ms, wait) => wait,
      reserve: () => Promise.resolve(true),
    };
  }
}

async function formulas(inputs: WorkInputs): Promise<NewCell[]> {
  const { plan, sources } = inputs;
  const { cells } = await plan.compute(computedRows(inputs), { cellsOf: (key) => sources.of(key), known: new Map() });
  return cells;
}

/** A cell that was not computed before the timeout. */
export const timedOutCell = (columnKey: string, row: number, message: string): NewCell =>
  failCell(emptyCell(columnKey, row), message);
