import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Logs whose current state is not in the index, and deleted logs that still are. */
@Entity('request_log_search_queue')
export class QueuedRequestLog {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'request_log_search_queue_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'log_id', type: 'bigint', primaryKeyConstraintName: 'request_log_search_queue_pkey' })
  logId: string;

  /** Since when it waits. */
  @Column({ name: 'queued_at', type: 'timestamptz', default: () => 'now()' })
  queuedAt: Date;

  /** True when the log has never been in the index. */
  @Column({ name: 'is_new', type: 'boolean', default: false })
  isNew: boolean;
}
