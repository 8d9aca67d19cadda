import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { CreatedAtColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { WorkRow } from '../../platform/work/work-row.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import type { ScoreConfig } from '../../scoring/index.js';
import type { Comparison } from '../../platform/statistics/comparison.js';
import type { Interval } from '../../platform/statistics/mean.js';
import type { FirstFall, Outcome } from './bisection.js';

export const REGRESSION_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled', 'stopped'] as const;
export type RegressionStatus = (typeof REGRESSION_STATUSES)[number];

/** The scoring of a row: by the cells of columns, or by a scorecard as it was at a version of the sheet. */
export type RegressionScoring =
  { by: 'columns'; columnIds: string[]; config: ScoreConfig } | { by: 'scorecard'; version: number };

/** The versions to search: those of the sheet, or those of a prompt over one version of the sheet. */
export interface RegressionRequest {
  good: number;
  bad: number;
  prompt: { id: number; name: string; sheetVersion: number } | null;
  scoring: RegressionScoring;
}

/** Counts of the computed cells of a version. */
export interface CellUse {
  /** Cells that were up to date in the version. */
  stored: number;
  computed: number;
  /** Cells with a known result of equal inputs. */
  reused: number;
  failed: number;
}

/** The findings about a version. */
export interface RegressionStep {
  version: number;
  outcome: Outcome;
  /** The mean of the scores of its rows; null where no row has one. */
  score: number | null;
  interval: Interval | null;
  scoredRows: number;
  /** Comparison with the good version, row by row; null for the good version itself. */
  comparison: Comparison | null;
  cells: CellUse;
  /** US dollars; absent in older results. */
  cost?: number;
}

/** The scores of rows, as two lists of the same length. */
export interface RowScores {
  rows: number[];
  scores: number[];
}

/** A search for the first version at which a score fell. */
@Entity('regressions')
@Index('regressions_created_idx', ['workspaceId', 'sheetId', 'createdAt', 'id'])
@Index('regressions_active_key', { synchronize: false })
@Index('regressions_open_idx', { synchronize: false })
export class Regression extends WorkRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @Column({ type: 'text' })
  status: RegressionStatus;

  @Column({ type: 'jsonb' })
  request: RegressionRequest;

  /** The results, in the order in which versions were scored: the two ends come first. */
  @Column({ type: 'jsonb', default: '[]' })
  steps: RegressionStep[];

  /** The scores of the good version, with which all others are compared. */
  @Column({ type: 'jsonb', nullable: true })
  baseline: RowScores | null;

  /** The fall; null during the search, and when the two ends do not differ. */
  @Column({ type: 'jsonb', nullable: true })
  found: FirstFall | null;

  /** The copy in which cells of a version are computed, and that version. */
  @Column({ name: 'scratch_sheet_id', type: 'uuid', nullable: true })
  scratchSheetId: string | null;

  @Column({ name: 'scratch_version', type: 'integer', nullable: true })
  scratchVersion: number | null;

  /** The operation that computes the cells of the copy. */
  @Column({ name: 'scratch_execution_id', type: 'uuid', nullable: true })
  scratchExecutionId: string | null;

  /** Limit of the cost in US dollars; null for none. */
  @Column({ name: 'max_cost', type: 'double precision', nullable: true })
  maxCost: number | null;

  /** The cost of the finished versions, in US dollars. `readSpending` gives that of the version being computed. */
  @Column({ type: 'double precision', default: 0 })
  cost: number;

  /** The reason why it failed, or was stopped. */
  @Column({ type: 'text', nullable: true })
  error: string | null;

  @Column({ name: 'completed_at', type: 'timestamptz', precision: 3, nullable: true })
  completedAt: Date | null;

  @CreatedAtColumn()
  createdAt: Date;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'regressions_sheet_id_fkey')
  sheet?: Relation<Sheet>;
}
