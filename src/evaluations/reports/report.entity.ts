import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { WorkRow } from '../../platform/work/work-row.js';
import type { ReportScore, ScoreCode, ScoreMatrix } from '../scores/report-score.js';

/** The type under which external ids are attached to reports. */
export const EXTERNAL_ID_TYPE = 'report';

/**
 * Until a run is `completed` there is work for a worker: its `step`. `running` means that a worker has it. A pipeline is always
 * completed.
 */
export type ReportStatus = 'queued' | 'running' | 'completed';

/** To give a run its rows, when the version of its dataset has them; to score it, when its cells are computed. */
export type RunStep = 'fill' | 'score';

/** Computed cells by state, as the API counts them. */
export interface StatusCounts {
  COMPLETED: number;
  FAILED: number;
  QUEUED: number;
  RUNNING: number;
  /** Completed ones that have the result of an earlier cell; missing where runs were counted before this was. */
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
export class Report extends WorkRow {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'reports_pkey' })
  workspaceId: number;

  @PrimaryColumn({
    type: 'integer',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'reports_pkey',
  })
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

  /** Whether a run takes results from outside that were known before. */
  @Column({ name: 'reuses_results', type: 'boolean', default: false })
  reusesResults: boolean;

  /** The version of a dataset that it reads. */
  @Column({ name: 'dataset_id', type: 'integer' })
  datasetId: number;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  // By name: what lies in the grid is reached by its door.
  @ManyToOne('Sheet')
  @JoinInWorkspace('sheet_id', 'reports_sheet_id_fkey')
  sheet?: Relation<object>;

  @Column({ name: 'score_configuration', type: 'jsonb', nullable: true })
  scoreConfiguration: ScoreCode | null;

  /** As the API shows it; null before a run is completed. */
  @Column({ type: 'jsonb', nullable: true })
  score: ReportScore | null;

  @Column({ name: 'score_matrix', type: 'jsonb', nullable: true })
  scoreMatrix: ScoreMatrix[] | null;

  /** The cells of a completed run; they are counted when somebody looks at any other report. */
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
  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;
}

/** What the API knows of a column of the sheet of a report besides what the sheet says: its number, and whether it is scored. */
@Entity('report_columns')
@Index('report_columns_report_idx', ['workspaceId', 'reportId'])
@Index('report_columns_column_key', ['workspaceId', 'columnId'], { unique: true })
export class ReportColumn {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'report_columns_pkey' })
  workspaceId: number;

  @PrimaryColumn({
    type: 'integer',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'report_columns_pkey',
  })
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

  /** A column of the dataset, which nobody may change. */
  @Column({ name: 'is_dataset', type: 'boolean' })
  isDataset: boolean;

  @Column({ name: 'is_part_of_score', type: 'boolean', default: false })
  isPartOfScore: boolean;
}
