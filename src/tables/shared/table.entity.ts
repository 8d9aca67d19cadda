import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CreatedByColumn, WorkspaceColumn } from '../../platform/database/common-columns.js';
import { DeletableRow } from '../../platform/database/common-rows.js';

/** A named set of sheets. Deleting it hides it and everything in it. */
@Entity('tables')
@Index('tables_created_idx', { synchronize: false })
@Index('tables_folder_idx', { synchronize: false })
export class Table extends DeletableRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  title: string;

  @Column({ name: 'folder_id', type: 'integer', nullable: true })
  folderId: number | null;

  /** The key that created it. */
  @CreatedByColumn()
  createdBy: number | null;
}
