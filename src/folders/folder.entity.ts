import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A folder for tables, prompts and other entities; folders form a tree. Deleting one removes its row. */
@Entity('folders')
@Index('folders_sibling_key', { synchronize: false })
export class Folder {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'folders_pkey' })
  workspaceId: number;

  @PrimaryColumn({
    type: 'integer',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'folders_pkey',
  })
  id: number;

  /** null at the top. */
  @Column({ name: 'parent_id', type: 'integer', nullable: true })
  parentId: number | null;

  /** Unique among its siblings; case matters. */
  @Column({ type: 'text' })
  name: string;

  /** The key that created it. */
  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
