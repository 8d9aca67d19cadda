import { isPassingDatabaseFailure } from '../../platform/errors/failures.js';
import { onBehalfOf } from '../../platform/sandbox/turn-owner.js';
import type { JsonValue } from '../../platform/json.js';
import type { CellMetrics } from '../column-type/cell-metrics.js';
import type { NewCell } from '../cells/cells.queries.js';
import type { RowSet } from '../shared/row-set.js';
import { CellFailure, type CellResult, type ExternalColumnType, externalTypeOf } from '../column-type/column-type.js';
import { type CallServices, CellCall, unlessAborted } from './cell-call.js';
import { emptyCell, failCell, reasonOf, settleCell, toStorable } from './cell-result.js';
import type { RememberedResult } from './memo.queries.js';
import type { WorkInputs } from './read-work.js';
import type { RowResult } from './result-store.js';
import { withRetries } from './retries.js';
import { RUN_OWNERS } from '../shared/sheet-owner.js';
import { TimeLimit } from './time-limit.js';

/** A row with its input values. */
export interface PreparedRow {
  row: number;
  values: JsonValue[];
  /** Digest of everything the result depends on. */
  key: string;
}

export interface CallOptions extends CallServices {
  timeLimitMs: number;
}

/** Computes the cells of one external column, one by one. */
export class ExternalColumn {
  private readonly type: ExternalColumnType;
  private readonly timeLimitMs: number;
  private asked: Promise<string> | undefined;
  private dependsOn = '';

  constructor(
    private readonly inputs: WorkInputs,
    private readonly options: CallOptions,
  ) {
    const { type } = inputs.plan;
    this.type = externalTypeOf(type);
    this.timeLimitMs = type.options.timeLimitMs ?? options.timeLimitMs;
  }

  /** Whether results of cells with the same inputs are reused. Each row of a sheet of runs is a separate operation. */
  get reusesResults(): boolean {
    const { execution, plan, sheet } = this.inputs;
    const isForced = execution.isForced || (execution.asksAgain && RUN_OWNERS.includes(sheet.owner));
    return !isForced && plan.type.options.reusesResults !== false;
  }

  /** The operation whose results are reused; null for any. */
  get origin(): string | null {
    const { asksAgain, id } = this.inputs.execution;
    return asksAgain ? id : null;
  }

  /** Whether computing a cell is a call that may cost money, and not work of this installation. */
  get asksOthers(): boolean {
    const { kind, cellsPerPlace } = this.inputs.plan.type.options;
    return kind === 'external' && cellsPerPlace === undefined;
  }

  /** Reads the values of rows; rows that cannot be read get their result here. */
  async prepare(rows: RowSet): Promise<{ prepared: PreparedRow[]; failed: RowResult[] }> {
    const { plan, sources } = this.inputs;
    try {
      this.dependsOn = await (this.asked ??= this.askWhatElse());
    } catch (error) {
      if (isPassingDatabaseFailure(error)) throw error;
      return { prepared: [], failed: [...rows].map((row) => this.toFailure(row, error)) };
    }
    const read = plan.inputs.reader((key) => sources.of(key));
    const prepared: PreparedRow[] = [];
    const failed: RowResult[] = [];
    for (const row of rows) {
      const found = read(row);
      if ('problem' in found) failed.push(this.toFailure(row, new CellFailure(found.problem)));
      else prepared.push({ row, values: found.values, key: plan.hashOf(found.values, this.dependsOn) });
    }
    return { prepared, failed };
  }

  /**
   * Computes a row. Rejects with a `WorkAborted` when nobody may store the result any more, and with a temporary
   * failure of the database, which is no result.
   */
  async compute(prepared: PreparedRow, signal: AbortSignal): Promise<RowResult> {
    const limit = new TimeLimit(signal, this.timeLimitMs);
    const call = this.startCall(prepared, limit);
    try {
      const result = await this.tryCompute(prepared, call);
      const cell = this.toCell(prepared, () => toStorable(result.value));
      // The last call and the span of the cell are stored in one transaction, because they are stored at the same time.
      const [metrics] = await Promise.all([call.metricsOf(result), call.end(cell.error ?? null)]);
      return this.toResult(cell, metrics);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isPassingDatabaseFailure(error)) throw error;
      const spent = error instanceof CellFailure ? error.spent : {};
      const reason = limit.isExceeded ? this.tooLong() : error;
      const metrics = await call.metricsOf(spent);
      await call.end(reasonOf(reason, this.inputs.plan.column.type));
      return { ...this.toFailure(prepared.row, reason, metrics), isGivenUp: limit.isExceeded };
    } finally {
      limit.end();
    }
  }

  /** The result of another cell with the same inputs, at no cost. */
  reuse({ row, key }: PreparedRow, { value, metrics, computedAt }: RememberedResult): RowResult {
    const { request_ids = [], trace_ids = [], warning } = metrics ?? {};
    const reused: CellMetrics = {
      request_count: 0,
      request_ids,
      latency_ms: null,
      price: 0,
      input_tokens: 0,
      output_tokens: 0,
      trace_ids,
      ...(warning && { warning }),
      reused_from: computedAt.toISOString(),
    };
    const cell = { ...emptyCell(this.inputs.plan.column.key, row), value, inputHash: key, metrics: reused };
    return { row, cells: this.withMetadata(cell), memo: null, cost: 0 };
  }

  toFailure(row: number, error: unknown, metrics: CellMetrics | null = null): RowResult {
    const { column } = this.inputs.plan;
    const cell = failCell(emptyCell(column.key, row), reasonOf(error, column.type));
    cell.metrics = metrics;
    return { row, cells: this.withMetadata(cell), memo: null, cost: metrics?.price ?? 0 };
  }

  /** Asks the type for everything that results depend on besides config and values. */
  private async askWhatElse(): Promise<string> {
    if (!this.type.dependsOn) return '';
    const { plan, sheet } = this.inputs;
    const limit = new TimeLimit(null, this.timeLimitMs);
    try {
      const ask = () => this.type.dependsOn!(plan.inputs.resolve([]), { workspaceId: sheet.workspaceId });
      const once = () => unlessAborted(Promise.resolve(ask()), limit.signal);
      return await withRetries(once, { backoffMs: this.options.backoffMs, signal: limit.signal });
    } catch (error) {
      throw limit.isExceeded ? this.tooLong() : error;
    } finally {
      limit.end();
    }
  }

  private tryCompute({ values }: PreparedRow, { context, retries }: CellCall): Promise<CellResult> {
    const { inputs } = this.inputs.plan;
    const row = { config: inputs.resolve(values), inputs: inputs.list, left: inputs.leftOf(values) };
    const owner = { workspaceId: context.workspaceId, keyId: null };
    const compute = () => onBehalfOf(owner, () => Promise.resolve(this.type.compute(row, context)));
    return withRetries(() => unlessAborted(compute(), retries.signal), retries);
  }

  private startCall({ row: rowIndex, key }: PreparedRow, limit: TimeLimit): CellCall {
    const { plan, sheet, execution } = this.inputs;
    const place = {
      workspaceId: sheet.workspaceId,
      sheet: { id: sheet.id, tableId: sheet.tableId, title: sheet.title },
      column: { id: plan.column.id, title: plan.column.title, type: plan.column.type },
      rowIndex,
      executionId: execution.id,
      asksAgain: execution.isForced || execution.asksAgain,
      dependsOn: this.dependsOn,
      budget: execution.maxCost === null ? null : Math.max(0, execution.maxCost - execution.cost),
    };
    return new CellCall(this.options, place, key, limit);
  }

  private tooLong(): CellFailure {
    return new CellFailure(`It took longer than ${this.timeLimitMs / 1000} seconds and was stopped.`);
  }

  private toCell({ row, key }: PreparedRow, value: () => unknown): NewCell {
    const { column } = this.inputs.plan;
    return settleCell({ ...emptyCell(column.key, row), inputHash: key }, column.type, value);
  }

  private toResult(computed: NewCell, metrics: CellMetrics): RowResult {
    const { rowIndex: row, inputHash: key, value } = computed;
    const isKept = !computed.error && this.inputs.plan.type.options.reusesResults !== false;
    const memo = isKept ? { key: key!, value, metrics, origin: this.origin } : null;
    return { row, cells: this.withMetadata({ ...computed, metrics }), memo, cost: metrics.price ?? 0 };
  }

  /** The columns for price and latency are written with the cell they measure. */
  private withMetadata(cell: NewCell): NewCell[] {
    const { metadata } = this.inputs.plan;
    const { rowIndex, metrics } = cell;
    const measured = Object.entries(metadata ?? {}).map(([metric, columnKey]) => ({
      ...emptyCell(columnKey, rowIndex),
      value: (metric === 'price' ? metrics?.price : metrics?.latency_ms) ?? null,
    }));
    return [cell, ...measured];
  }
}
