import type { JsonValue } from '../../platform/json.js';
import { onBehalfOf } from '../../platform/sandbox/turn-owner.js';
import type { RegisteredColumnType } from '../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { type CellsOf, unwrapped } from '../../grid/computing/column-inputs.js';
import { ColumnPlan } from '../../grid/computing/column-plan.js';
import type { PlannedStep } from './calculation-plan.js';
import { evidenceOf } from './evidence.js';
import { adaptScore, shownResult } from './score-adapter.js';
import type { StoredStep } from './scorecard-row.entity.js';
import { verdictOf } from './verdicts.js';

export const SKIPPED: StoredStep = ['skipped', null, null, null, null];

/** Converts the computed cells of a step to results. */
export class StepScorer {
  readonly column: SheetColumn;
  private readonly sources: SheetColumn[];
  private readonly type: RegisteredColumnType;
  /** null where the type explains nothing, or the config is invalid. */
  private readonly plan: ColumnPlan | null;

  constructor(
    columns: SheetColumns,
    readonly step: PlannedStep,
  ) {
    this.column = columns.find(step.id)!;
    this.type = columns.type(this.column);
    this.sources = step.sources.flatMap((id) => columns.find(id) ?? []);
    this.plan = this.isShown && this.type.plugin.explain ? planOrNull(columns, this.column) : null;
  }

  /** The columns whose cells are needed. */
  get keys(): string[] {
    return [this.column, ...(this.isShown ? this.sources : [])].map(({ key }) => key);
  }

  /** The columns that are scored. */
  get sourceKeys(): string[] {
    return this.sources.map(({ key }) => key);
  }

  async result(cellsOf: CellsOf, row: number): Promise<StoredStep> {
    const cell = cellsOf(this.column.key)(row);
    if (!cell) return SKIPPED;
    if (cell.error) return ['error', null, null, this.withReason(cell.error, cellsOf, row), null];
    const { adapter, thresholds } = this.step;
    const adapted = adaptScore(cell.value, adapter);
    if ('skipped' in adapted) return SKIPPED;
    const result = shownResult(cell.value, adapter);
    const evidence = await this.evidence(cellsOf, row, result);
    if ('problem' in adapted) return ['error', null, result, adapted.problem, evidence];
    return [verdictOf(adapted.score, thresholds), adapted.score, result, null, evidence];
  }

  private get isShown(): boolean {
    return this.step.evidenceMode !== 'hidden';
  }

  /** Adds the reason of a failed source to the error of a step. */
  private withReason(error: string, cellsOf: CellsOf, row: number): string {
    const reason = this.sources.map(({ key }) => cellsOf(key)(row)?.error).find(Boolean);
    return reason ? `${error} ${reason}` : error;
  }

  private async evidence(cellsOf: CellsOf, row: number, result: JsonValue): Promise<JsonValue> {
    if (!this.isShown) return null;
    const sources = this.sources.map(({ title, key }) => ({
      title,
      value: unwrapped(cellsOf(key)(row)?.value ?? null),
    }));
    const explanation = await this.explain(cellsOf, row, result);
    return evidenceOf(this.step.evidenceMode, { sources, result, explanation });
  }

  private async explain(cellsOf: CellsOf, row: number, result: JsonValue): Promise<JsonValue> {
    if (!this.plan) return null;
    const { inputs } = this.plan;
    const read = inputs.reader(cellsOf)(row);
    if ('problem' in read) return null;
    try {
      const explain = () => this.type.plugin.explain!(inputs.resolve(read.values), inputs.list, result);
      return await onBehalfOf({ workspaceId: this.column.workspaceId, keyId: null }, explain);
    } catch {
      // A result without an explanation is still valid.
      return null;
    }
  }
}

function planOrNull(columns: SheetColumns, column: SheetColumn): ColumnPlan | null {
  try {
    return ColumnPlan.of(columns, column);
  } catch {
    return null;
  }
}
