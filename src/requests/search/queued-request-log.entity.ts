import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Logs that are not in the index yet, or not as they are now, and deleted ones that are still there. */
@Entity('request_log_search_queue')
export class QueuedRequestLog {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'request_log_search_queue_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'log_id', type: 'bigint', primaryKeyConstraintName: 'request_log_search_queue_pkey' })
  logId: string;

  /** Since when it waits. */
  @Column({ name: 'queued_at', type: 'timestamptz', default: () => 'now()' })
  queuedAt: Date;

  /** It has not been in the index before. */
  @Column({ name: 'is_new', type: 'boolean', default: false })
  isNew: boolean;
}
