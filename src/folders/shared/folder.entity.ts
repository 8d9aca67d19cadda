import { Column, Entity, Index } from 'typeorm';
import { CreatedByColumn, IdentityColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import { TimestampedRow } from '../../platform/database/common-rows.js';

/** A folder for tables, prompts and other entities; folders form a tree. Deleting one removes its row. */
@Entity('folders')
@Index('folders_sibling_key', { synchronize: false })
export class Folder extends TimestampedRow {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  /** null at the top. */
  @Column({ name: 'parent_id', type: 'integer', nullable: true })
  parentId: number | null;

  /** Unique among its siblings; case matters. */
  @Column({ type: 'text' })
  name: string;

  /** The key that created it. */
  @CreatedByColumn()
  createdBy: number | null;
}
