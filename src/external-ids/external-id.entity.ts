import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';

/** The id that another system uses for an entity of this server. An external id belongs to one entity of the workspace, of any type. */
@Entity('external_ids')
@Index('external_ids_entity_idx', ['workspaceId', 'entityType', 'entityId', 'seq'])
export class ExternalIdMapping {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'text' })
  source: string;

  @PrimaryColumn({ name: 'external_id', type: 'text' })
  externalId: string;

  /** The order in which they were attached. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  seq: string;

  @Column({ name: 'entity_type', type: 'text' })
  entityType: string;

  /** Text, because some entities have numbers and others UUIDs. */
  @Column({ name: 'entity_id', type: 'text' })
  entityId: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
