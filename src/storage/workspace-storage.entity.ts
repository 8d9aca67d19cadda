import { Column, Entity } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';

/** Storage limits of a workspace, and its stored bytes at the last count. */
@Entity('workspace_storage')
export class WorkspaceStorage {
  @WorkspaceColumn()
  workspaceId: number;

  /** null: the limit of the installation. */
  @Column({ name: 'max_stored_bytes', type: 'bigint', nullable: true })
  maxStoredBytes: string | null;

  /** null: the limit of the installation. */
  @Column({ name: 'max_rows', type: 'bigint', nullable: true })
  maxRows: string | null;

  @Column({ name: 'stored_bytes', type: 'bigint', nullable: true })
  storedBytes: string | null;

  @Column({ name: 'counted_at', type: 'timestamptz', precision: 3, nullable: true })
  countedAt: Date | null;

  /** When the current or the last count began. */
  @Column({ name: 'count_began_at', type: 'timestamptz', precision: 3, nullable: true })
  countBeganAt: Date | null;

  /** Duration of the last count. */
  @Column({ name: 'count_ms', type: 'integer', default: 0 })
  countMs: number;
}
