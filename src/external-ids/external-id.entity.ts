import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The name that another system has for an entity of ours. One name means one entity of the workspace, of any type. */
@Entity('external_ids')
@Index('external_ids_entity_idx', ['workspaceId', 'entityType', 'entityId', 'seq'])
export class ExternalIdMapping {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'external_ids_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'external_ids_pkey' })
  source: string;

  @PrimaryColumn({ name: 'external_id', type: 'text', primaryKeyConstraintName: 'external_ids_pkey' })
  externalId: string;

  /** The order in which they were attached. */
  @Column({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' })
  seq: string;

  @Column({ name: 'entity_type', type: 'text' })
  entityType: string;

  /** As text: some entities have numbers, others UUIDs. */
  @Column({ name: 'entity_id', type: 'text' })
  entityId: string;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
}
