import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { RowSet } from '../../grid/rows/row-set.js';
import { rowSetColumn } from '../../grid/rows/row-set.transformer.js';
import { Sheet } from '../../grid/sheet.entity.js';
import { SheetCalculation } from '../../scoring/index.js';
import type { CalculationPlan, CalculationResult, CalculationScope } from './calculation-plan.js';

/** A calculation of a scorecard: which execution computes its cells, and what came of it. */
@Entity('scorecard_calculations')
@Index('scorecard_calculations_active_key', { synchronize: false })
@Index('scorecard_calculations_open_idx', { synchronize: false })
@Index('scorecard_calculations_sheet_idx', { synchronize: false })
@Index('scorecard_calculations_time_idx', { synchronize: false })
export class ScorecardCalculation extends SheetCalculation {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'scorecard_calculations_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'scorecard_calculations_pkey' })
  id: string;

  @Column({ name: 'scorecard_id', type: 'uuid' })
  scorecardId: string;

  /** Computes the cells of the steps; null when there was nothing to compute. `status` stays `queued` until it has ended. */
  @Column({ name: 'execution_id', type: 'uuid', nullable: true })
  executionId: string | null;

  /** The version of the sheet that was scored. */
  @Column({ type: 'integer' })
  version: number;

  /** What the scorecard was when the calculation was asked for. */
  @Column({ type: 'jsonb' })
  plan: CalculationPlan;

  /** What was asked for; null for everything. */
  @Column({ type: 'jsonb', nullable: true })
  scope: CalculationScope | null;

  /** The rows that have a score in it, as far as they exist. */
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
