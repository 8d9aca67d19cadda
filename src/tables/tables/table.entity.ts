import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A named set of sheets. Deleting it hides it and everything in it. */
@Entity('tables')
@Index('tables_created_idx', { synchronize: false })
@Index('tables_folder_idx', { synchronize: false })
export class Table {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'tables_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'tables_pkey' })
  id: string;

  @Column({ type: 'text' })
  title: string;

  @Column({ name: 'folder_id', type: 'integer', nullable: true })
  folderId: number | null;

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
