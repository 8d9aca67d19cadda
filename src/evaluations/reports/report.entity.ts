import { Column, Entity, Index, ManyToOne, type Relation } from 'typeorm';
import {
  CreatedByColumn,
  DeletedAtColumn,
  IdentityColumn,
  WorkspaceColumn,
} from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { TimestampedWorkRow } from '../../platform/work/work-row.js';
import type { ReportScore, ScoreCode, ScoreMatrix } from '../scores/report-score.js';

/** The type under which external ids are attached to reports. */
export const EXTERNAL_ID_TYPE = 'report';

/**
 * Until a run is `completed`, its `step` is work for a worker. `running` means that a worker has claimed it. A pipeline is always
 * completed.
 */
export type ReportStatus = 'queued' | 'running' | 'completed';

/** `fill` adds the rows of the dataset version to a run. `score` scores the run when its cells are computed. */
export type RunStep = 'fill' | 'score';

/** Numbers of computed cells by state, in the form of the API. */
export interface StatusCounts {
  COMPLETED: number;
  FAILED: number;
  QUEUED: number;
  RUNNING: number;
  /** Completed cells with the result of an earlier cell; missing for runs that were counted before this key existed. */
  REUSED?: number;
}

/** An evaluation pipeline, or a run of one. Its rows and cells are a sheet. */
@Entity('reports')
@Index('reports_created_idx', { synchronize: false })
@Index('reports_parent_idx', { synchronize: false })
@Index('reports_folder_idx', { synchronize: false })
@Index('reports_name_idx', { synchronize: false })
@Index('reports_sheet_key', ['workspaceId', 'sheetId'], { unique: true })
@Index('reports_open_idx', { synchronize: false })
export class Report extends TimestampedWorkRow {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', nullable: true })
  comment: string | null;

  /** Only pipelines lie in folders. */
  @Column({ name: 'folder_id', type: 'integer', nullable: true })
  folderId: number | null;

  @Column({ type: 'text', array: true, default: '{}' })
  tags: string[];

  /** True for a pipeline, false for a run. */
  @Column({ name: 'is_blueprint', type: 'boolean' })
  isBlueprint: boolean;

  /** The pipeline of a run. */
  @Column({ name: 'parent_id', type: 'integer', nullable: true })
  parentId: number | null;

  @ManyToOne(() => Report)
  @JoinInWorkspace('parent_id', 'reports_parent_id_fkey')
  parent?: Relation<Report>;

  /** Whether a run reuses known results of external calls. */
  @Column({ name: 'reuses_results', type: 'boolean', default: false })
  reusesResults: boolean;

  /** The version of a dataset that it reads. */
  @Column({ name: 'dataset_id', type: 'integer' })
  datasetId: number;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  // Refers to the entity by its name, because tables exports only its type.
  @ManyToOne('Sheet')
  @JoinInWorkspace('sheet_id', 'reports_sheet_id_fkey')
  sheet?: Relation<object>;

  @Column({ name: 'score_configuration', type: 'jsonb', nullable: true })
  scoreConfiguration: ScoreCode | null;

  /** Score in the form of the API; null before a run is completed. */
  @Column({ type: 'jsonb', nullable: true })
  score: ReportScore | null;

  @Column({ name: 'score_matrix', type: 'jsonb', nullable: true })
  scoreMatrix: ScoreMatrix[] | null;

  /** Cell counts of a completed run. Those of other reports are counted when they are read. */
  @Column({ name: 'status_counts', type: 'jsonb', nullable: true })
  statusCounts: StatusCounts | null;

  /** Why there is no score. */
  @Column({ name: 'score_error', type: 'text', nullable: true })
  scoreError: string | null;

  /** The prompt version that a run was started for, by publishing it. */
  @Column({ name: 'prompt_id', type: 'integer', nullable: true })
  promptId: number | null;

  @Column({ name: 'prompt_version', type: 'integer', nullable: true })
  promptVersion: number | null;

  @Column({ type: 'text' })
  status: ReportStatus;

  @Column({ type: 'text', nullable: true })
  step: RunStep | null;

  /** The key that created it. */
  @CreatedByColumn()
  createdBy: number | null;

  @DeletedAtColumn()
  deletedAt: Date | null;
}

/** Facts of a report's column that its sheet does not have: its number in the API, and whether it is scored. */
@Entity('report_columns')
@Index('report_columns_report_idx', ['workspaceId', 'reportId'])
@Index('report_columns_column_key', ['workspaceId', 'columnId'], { unique: true })
export class ReportColumn {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'report_id', type: 'integer' })
  reportId: number;

  @ManyToOne(() => Report)
  @JoinInWorkspace('report_id', 'report_columns_report_id_fkey')
  report?: Relation<Report>;

  @Column({ name: 'column_id', type: 'uuid' })
  columnId: string;

  @ManyToOne('SheetColumn')
  @JoinInWorkspace('column_id', 'report_columns_column_id_fkey')
  column?: Relation<object>;

  /** Whether it is a column of the dataset, which cannot be changed. */
  @Column({ name: 'is_dataset', type: 'boolean' })
  isDataset: boolean;

  @Column({ name: 'is_part_of_score', type: 'boolean', default: false })
  isPartOfScore: boolean;
}
