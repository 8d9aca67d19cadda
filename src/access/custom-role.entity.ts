import { Column, Entity, Index, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import { CreatedAtColumn, CreatedByColumn, IdentityColumn } from '../platform/database/common-columns.js';
import { Workspace } from './workspace.entity.js';
import type { Permission } from './roles/permissions.js';

/** A role that a workspace defines beside the built-in ones. */
@Entity('custom_roles')
@Index('custom_roles_name_key', ['workspaceId', 'name'], { unique: true })
export class CustomRole {
  @IdentityColumn('integer')
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

  @CreatedByColumn()
  createdBy: number | null;

  @CreatedAtColumn()
  createdAt: Date;
}
