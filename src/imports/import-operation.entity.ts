import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { TimestampedWorkRow } from '../platform/work/work-row.js';
import type { JsonObject } from '../platform/json.js';
import { Sheet } from '../grid/shared/sheet.entity.js';

export const IMPORT_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];
export const IMPORT_SOURCES = ['file', 'request_logs', 'sheet'] as const;
export type ImportSource = (typeof IMPORT_SOURCES)[number];

/** An import into a sheet: its request, its progress and its outcome. The row is the work. */
@Entity('import_operations')
@Index('import_operations_active_key', { synchronize: false })
@Index('import_operations_listed_idx', { synchronize: false })
export class ImportOperation extends TimestampedWorkRow {
  @WorkspaceColumn()
  workspaceId: number;

  /** Chosen by the client, or a UUID. */
  @PrimaryColumn({ type: 'text' })
  id: string;

  /** null unless a table owns the sheet. */
  @Column({ name: 'table_id', type: 'uuid', nullable: true })
  tableId: string | null;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'import_operations_sheet_id_fkey')
  sheet?: Relation<Sheet>;

  @Column({ type: 'text' })
  source: ImportSource;

  @Column({ type: 'text' })
  status: ImportStatus;

  /** Percent; never falls. */
  @Column({ type: 'integer', default: 0 })
  progress: number;

  @Column({ type: 'text', nullable: true })
  message: string | null;

  @Column({ name: 'rows_added', type: 'integer', nullable: true })
  rowsAdded: number | null;

  @Column({ name: 'row_count', type: 'integer', nullable: true })
  rowCount: number | null;

  @Column({ name: 'file_name', type: 'text', nullable: true })
  fileName: string | null;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage: string | null;

  /** The request of the caller. */
  @Column({ type: 'jsonb' })
  request: JsonObject;

  /** State with which another worker can resume; null until the import has been planned. */
  @Column({ type: 'jsonb', nullable: true })
  state: JsonObject | null;

  /** Time of the request to cancel. The worker deletes what was written before the import fails. */
  @Column({ name: 'cancelled_at', type: 'timestamptz', precision: 3, nullable: true })
  cancelledAt: Date | null;
}
