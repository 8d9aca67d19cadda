import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { RowSet } from '../../grid/shared/row-set.js';
import { rowSetColumn } from '../../grid/shared/row-set.transformer.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import { SheetCalculation } from '../../scoring/index.js';
import type { CalculationPlan, CalculationResult, CalculationScope } from './calculation-plan.js';

/** A calculation of a scorecard: the execution of its cells, and the result. */
@Entity('scorecard_calculations')
@Index('scorecard_calculations_active_key', { synchronize: false })
@Index('scorecard_calculations_open_idx', { synchronize: false })
@Index('scorecard_calculations_sheet_idx', { synchronize: false })
@Index('scorecard_calculations_time_idx', { synchronize: false })
export class ScorecardCalculation extends SheetCalculation {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'scorecard_id', type: 'uuid' })
  scorecardId: string;

  /**
   * The execution that computes the cells of the steps; null when there was nothing to compute. `status` stays `queued`
   * until it has ended.
   */
  @Column({ name: 'execution_id', type: 'uuid', nullable: true })
  executionId: string | null;

  /** The version of the sheet that was scored. */
  @Column({ type: 'integer' })
  version: number;

  /** The scorecard at the time of the request. */
  @Column({ type: 'jsonb' })
  plan: CalculationPlan;

  /** The requested part; null for everything. */
  @Column({ type: 'jsonb', nullable: true })
  scope: CalculationScope | null;

  /** The rows that have a score, and may have been deleted since. */
  @Column({ type: 'int4multirange', default: '{}', transformer: rowSetColumn })
  rows: RowSet;

  @Column({ type: 'jsonb', nullable: true })
  result: CalculationResult | null;

  @Column({ name: 'completed_at', type: 'timestamptz', precision: 3, nullable: true })
  completedAt: Date | null;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'scorecard_calculations_sheet_id_fkey')
  sheet?: Relation<Sheet>;
}
