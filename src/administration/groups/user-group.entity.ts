import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from '../../access/index.js';

/** A group that a source puts a user in. */
@Entity('user_groups')
@Index('user_groups_group_idx', ['groupName', 'source', 'userId'])
export class UserGroup {
  @PrimaryColumn({ name: 'user_id', type: 'integer' })
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_groups_user_id_fkey' })
  user?: Relation<User>;

  /** `oidc:<provider>` or `scim`. */
  @PrimaryColumn({ type: 'text' })
  source: string;

  /** Names are compared exactly. */
  @PrimaryColumn({ name: 'group_name', type: 'text' })
  groupName: string;
}
