import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { RequestLog } from '../request-log.entity.js';

/** The words of a log, for free text. A worker writes it soon after the log; until then the log waits in the queue. */
@Entity('request_log_search')
@Index('request_log_search_start_idx', { synchronize: false })
@Index('request_log_search_words_idx', { synchronize: false })
export class RequestLogSearch {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'request_log_search_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'log_id', type: 'bigint', primaryKeyConstraintName: 'request_log_search_pkey' })
  logId: string;

  @ManyToOne(() => RequestLog, { onDelete: 'CASCADE' })
  @JoinInWorkspace('log_id', 'request_log_search_log_id_fkey')
  log?: Relation<RequestLog>;

  @Column({ name: 'request_start_time', type: 'timestamptz' })
  requestStartTime: Date;

  /** Lexemes "workspace:word": with the workspace in them a small workspace never reads the postings of a large one. */
  @Column({ type: 'tsvector' })
  words: string;

  /** Which of them stand beside each other, see `WordPairs`; null when that is not known. */
  @Column({ name: 'word_pairs', type: 'bytea', nullable: true })
  wordPairs: Buffer | null;
}

/** Logs whose words are not in the index yet, or not as they are now. */
@Entity('request_log_search_queue')
export class QueuedRequestLog {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'request_log_search_queue_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'log_id', type: 'bigint', primaryKeyConstraintName: 'request_log_search_queue_pkey' })
  logId: string;
}
