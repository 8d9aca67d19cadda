import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import {
  CreatedAtColumn,
  FinishedAtColumn,
  IdentityColumn,
  WorkspaceColumn,
} from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { WorkRow } from '../../platform/work/work-row.js';
import type { RunStatus } from '../shared/run-status.js';
import { Workflow, WorkflowVersion } from '../registry/workflow.entity.js';

/**
 * A sheet that holds runs of a version, one row each. Nested runs lie in other sheets than the runs that started them:
 * a cell must never wait for a cell of the same column.
 */
@Entity('workflow_run_sheets')
@Index('workflow_run_sheets_number_key', ['workspaceId', 'workflowVersionId', 'depth', 'number'], { unique: true })
export class WorkflowRunSheet {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  // Refers to the entity by its name, because tables exports only its type.
  @ManyToOne('Sheet')
  @JoinInWorkspace('sheet_id', 'workflow_run_sheets_sheet_id_fkey')
  sheet?: Relation<object>;

  @Column({ name: 'workflow_version_id', type: 'integer' })
  workflowVersionId: number;

  @ManyToOne(() => WorkflowVersion)
  @JoinInWorkspace('workflow_version_id', 'workflow_run_sheets_workflow_version_id_fkey')
  workflowVersion?: Relation<WorkflowVersion>;

  /** 0 for runs of clients. Nested runs have the depth of the run or table whose cell started them, plus 1. */
  @Column({ type: 'smallint' })
  depth: number;

  /** Number of the sheet, from 0. A full sheet is followed by the next one. */
  @Column({ type: 'integer' })
  number: number;
}

/** A run of a version of a workflow: a row of a sheet. The API calls it an execution. */
@Entity('workflow_runs')
@Index('workflow_runs_workflow_idx', ['workspaceId', 'workflowId', 'id'])
@Index('workflow_runs_cause_key', { synchronize: false })
@Index('workflow_runs_running_idx', { synchronize: false })
@Index('workflow_runs_channel_idx', { synchronize: false })
export class WorkflowRun {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('bigint')
  id: string;

  @Column({ name: 'workflow_id', type: 'integer' })
  workflowId: number;

  @ManyToOne(() => Workflow)
  @JoinInWorkspace('workflow_id', 'workflow_runs_workflow_id_fkey')
  workflow?: Relation<Workflow>;

  @Column({ name: 'workflow_version_id', type: 'integer' })
  workflowVersionId: number;

  @ManyToOne(() => WorkflowVersion)
  @JoinInWorkspace('workflow_version_id', 'workflow_runs_workflow_version_id_fkey')
  workflowVersion?: Relation<WorkflowVersion>;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @ManyToOne(() => WorkflowRunSheet)
  @JoinInWorkspace('sheet_id', 'workflow_runs_sheet_id_fkey', 'sheetId')
  sheet?: Relation<WorkflowRunSheet>;

  @Column({ name: 'row_index', type: 'integer' })
  rowIndex: number;

  /** The execution that computes its cells. Runs that started in one transaction share it. */
  @Column({ name: 'execution_id', type: 'uuid' })
  executionId: string;

  @Column({ type: 'text' })
  status: RunStatus;

  /** Metadata from the client. */
  @Column({ type: 'jsonb', default: {} })
  metadata: Record<string, string>;

  /** URL to which the results are sent when the run has ended. */
  @Column({ name: 'callback_url', type: 'text', nullable: true })
  callbackUrl: string | null;

  /** Last part of the name of the live channel on which the client waits. */
  @Column({ type: 'text', nullable: true })
  channel: string | null;

  /** Whether the client that waits by push wants all nodes instead of the output. */
  @Column({ name: 'return_all_outputs', type: 'boolean', default: false })
  returnAllOutputs: boolean;

  /** Digest of the cell that started the run and of its inputs; null for runs of clients. */
  @Column({ type: 'text', nullable: true })
  cause: string | null;

  /** The API key of the client. */
  @Column({ name: 'started_by', type: 'integer', nullable: true })
  startedBy: number | null;

  @CreatedAtColumn()
  createdAt: Date;

  @FinishedAtColumn()
  finishedAt: Date | null;
}

/** Pending work for a run that has ended: storing its spans, and sending the callback. The row is deleted afterwards. */
@Entity('workflow_run_ends')
@Index('workflow_run_ends_open_idx', ['workspaceId', 'createdAt'])
export class WorkflowRunEnd extends WorkRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'bigint' })
  id: string;

  @ManyToOne(() => WorkflowRun)
  @JoinInWorkspace('id', 'workflow_run_ends_id_fkey')
  run?: Relation<WorkflowRun>;

  @Column({ type: 'text', default: 'queued' })
  status: 'queued' | 'running';

  @Column({ name: 'is_traced', type: 'boolean', default: false })
  isTraced: boolean;

  /** Number of callbacks that were tried. */
  @Column({ type: 'smallint', default: 0 })
  tries: number;

  @Column({ name: 'next_try_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  nextTryAt: Date;

  @CreatedAtColumn()
  createdAt: Date;
}
