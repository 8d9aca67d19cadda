import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TimestampedRow } from '../../platform/database/common-rows.js';

/** A group of an identity provider. Its members are the rows of `user_groups` with the source `scim` and its display name. */
@Entity('scim_groups')
@Index('scim_groups_display_name_key', ['displayName'], { unique: true })
@Index('scim_groups_external_id_idx', { synchronize: false })
export class ScimGroup extends TimestampedRow {
  /** A UUID, so ids of groups and users never collide: members may be of either kind. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'display_name', type: 'text' })
  displayName: string;

  @Column({ name: 'external_id', type: 'text', nullable: true })
  externalId: string | null;

  /** Number of changes, including those of its members. */
  @Column({ type: 'integer', default: 1 })
  version: number;
}
