import { Column, Entity } from 'typeorm';
import { UpdatedAtColumn, WorkspaceColumn } from '../platform/database/common-columns.js';

/** Days for which a workspace keeps its logged data. Without a row, or with null, they never expire. */
@Entity('retention_policies')
export class RetentionPolicy {
  @WorkspaceColumn()
  workspaceId: number;

  @Column({ name: 'traces_days', type: 'integer', nullable: true })
  tracesDays: number | null;

  @Column({ name: 'request_logs_days', type: 'integer', nullable: true })
  requestLogsDays: number | null;

  @UpdatedAtColumn()
  updatedAt: Date;

  /** Time of the last search for unused resources and scopes. */
  @Column({ name: 'sources_checked_at', type: 'timestamptz', nullable: true })
  sourcesCheckedAt: Date | null;

  /** When the vocabulary was last rid of words that are not used any more. */
  @Column({ name: 'words_checked_at', type: 'timestamptz', nullable: true })
  wordsCheckedAt: Date | null;
}
