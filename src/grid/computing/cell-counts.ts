import { Injectable } from '@nestjs/common';
import { Metrics } from '../../platform/telemetry/metrics.js';
import { SlowWork } from '../../platform/telemetry/slow-work.js';
import type { SheetColumn } from '../columns/column.entity.js';

/** Counts computed cells by type and outcome, and logs slow ones. */
@Injectable()
export class CellCounts {
  constructor(
    private readonly metrics: Metrics,
    private readonly slow: SlowWork,
  ) {}

  count({ type }: SheetColumn, outcome: 'completed' | 'failed' | 'reused' | 'unchanged', cells: number): void {
    this.metrics.counters.cellsComputed.inc({ type, outcome }, cells);
  }

  /** Counts cells that were computed together in the given time. */
  noteTime({ id: columnId, type, workspaceId }: SheetColumn, cells: number, ms: number): void {
    this.slow.noteCells({ workspaceId, columnId, type, cells, ms });
  }
}
