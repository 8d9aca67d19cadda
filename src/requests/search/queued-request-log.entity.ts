import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';

/** Logs whose current state is not in the index, and deleted logs that still are. */
@Entity('request_log_search_queue')
export class QueuedRequestLog {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'log_id', type: 'bigint' })
  logId: string;

  /** Since when it waits. */
  @Column({ name: 'queued_at', type: 'timestamptz', default: () => 'now()' })
  queuedAt: Date;

  /** True when the log has never been in the index. */
  @Column({ name: 'is_new', type: 'boolean', default: false })
  isNew: boolean;
}
