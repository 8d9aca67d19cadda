import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import {
  CreatedAtColumn,
  CreatedByColumn,
  FinishedAtColumn,
  WorkspaceColumn,
} from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { WorkRow } from '../platform/work/work-row.js';

export const EXPORT_SOURCES = ['requests', 'traces', 'spans'] as const;
export type ExportSourceName = (typeof EXPORT_SOURCES)[number];

export const EXPORT_FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const COMPRESSIONS = ['none', 'gzip'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

export const EXPORT_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled', 'expired'] as const;
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

/** The options of a request for an export. */
export interface ExportRequest {
  filterGroup: unknown;
  filters: unknown[] | null;
  q: string | null;
  /** In the order of the file. */
  columns: string[];
  limit: number | null;
  compression: Compression;
  /** Cells that a spreadsheet would take for a formula get an apostrophe. CSV only. */
  escapeFormulas: boolean;
  /** Starts the file with a byte order mark. CSV only. */
  bom: boolean;
}

/** An export with its request, progress and result. The row is the work for workers. */
@Entity('exports')
@Index('exports_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('exports_open_idx', { synchronize: false })
@Index('exports_expiry_idx', ['expiresAt'])
export class Export extends WorkRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  source: ExportSourceName;

  @Column({ type: 'text' })
  format: ExportFormat;

  @Column({ type: 'jsonb' })
  request: ExportRequest;

  @Column({ type: 'text', default: 'queued' })
  status: ExportStatus;

  /** Rows that the file will have; null until they are counted. */
  @Column({ name: 'row_total', type: 'bigint', nullable: true })
  rowTotal: string | null;

  @Column({ name: 'row_count', type: 'bigint', default: 0 })
  rowCount: string;

  @Column({ name: 'chunk_count', type: 'integer', default: 0 })
  chunkCount: number;

  /** Size of the stored file, which may be compressed. */
  @Column({ type: 'bigint', default: 0 })
  bytes: string;

  /** Hash of the whole file, in hexadecimal digits. */
  @Column({ type: 'text', nullable: true })
  sha256: string | null;

  /** True if traces were waiting for search, so matching rows may be missing. */
  @Column({ name: 'is_partial', type: 'boolean', default: false })
  isPartial: boolean;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage: string | null;

  /** The API key that requested it. */
  @CreatedByColumn()
  createdBy: number | null;

  @CreatedAtColumn()
  createdAt: Date;

  @FinishedAtColumn()
  finishedAt: Date | null;

  /** Time at which the file is deleted. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;
}

/** A piece of the file of an export. It is stored in the database, so every process can send it. */
@Entity('export_chunks')
export class ExportChunk {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'export_id', type: 'uuid' })
  exportId: string;

  @ManyToOne(() => Export, { onDelete: 'CASCADE' })
  @JoinInWorkspace('export_id', 'export_chunks_export_id_fkey')
  export?: Relation<Export>;

  /** From 0. */
  @PrimaryColumn({ type: 'integer' })
  number: number;

  @Column({ type: 'bytea' })
  content: Buffer;
}
