import { Column, Entity, Index, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import { CreatedAtColumn, IdentityColumn } from '../../platform/database/common-columns.js';
import { type Role, Workspace } from '../../access/index.js';

/** Users in the group are members of the workspace with these roles. Several rules for one workspace add up. */
@Entity('group_rules')
@Index('group_rules_group_key', ['groupName', 'workspaceId'], { unique: true })
export class GroupRule {
  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'group_name', type: 'text' })
  groupName: string;

  @Column({ name: 'workspace_id', type: 'integer' })
  workspaceId: number;

  @ManyToOne(() => Workspace, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'group_rules_workspace_id_fkey' })
  workspace?: Relation<Workspace>;

  @Column({ type: 'simple-array' })
  roles: Role[];

  @CreatedAtColumn()
  createdAt: Date;
}
