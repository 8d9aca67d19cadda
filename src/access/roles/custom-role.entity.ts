import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { Workspace } from '../workspace.entity.js';
import type { Permission } from './permissions.js';

/** A role that a workspace defines beside the built-in ones. */
@Entity('custom_roles')
@Index('custom_roles_name_key', ['workspaceId', 'name'], { unique: true })
export class CustomRole {
  @PrimaryColumn({
    type: 'integer',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'custom_roles_pkey',
  })
  id: number;

  @Column({ name: 'workspace_id', type: 'integer' })
  workspaceId: number;

  @ManyToOne(() => Workspace, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'custom_roles_workspace_id_fkey' })
  workspace?: Relation<Workspace>;

  /** Keys, members, invitations and group rules refer to it by this name. */
  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', nullable: true })
  description: string | null;

  @Column({ type: 'text', array: true })
  permissions: Permission[];

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}
