import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How long a workspace keeps what it logged. Without a row, or with null, for ever. */
@Entity('retention_policies')
export class RetentionPolicy {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'retention_policies_pkey' })
  workspaceId: number;

  @Column({ name: 'traces_days', type: 'integer', nullable: true })
  tracesDays: number | null;

  @Column({ name: 'request_logs_days', type: 'integer', nullable: true })
  requestLogsDays: number | null;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  /** When resources and scopes were last looked through. */
  @Column({ name: 'sources_checked_at', type: 'timestamptz', nullable: true })
  sourcesCheckedAt: Date | null;

  /** When the vocabulary was last rid of words that are not used any more. */
  @Column({ name: 'words_checked_at', type: 'timestamptz', nullable: true })
  wordsCheckedAt: Date | null;
}
