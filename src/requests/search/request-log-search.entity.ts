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
}

/**
 * Which words of a log stand beside each other: there is one for each entry of the index of words. In a table of its own many
 * fit on a page, and they are tested one after the other, newest first.
 */
@Entity('request_log_word_runs')
@Index('request_log_word_runs_start_idx', { synchronize: false })
export class RequestLogWordRuns {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'request_log_word_runs_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'log_id', type: 'bigint', primaryKeyConstraintName: 'request_log_word_runs_pkey' })
  logId: string;

  @ManyToOne(() => RequestLogSearch, { onDelete: 'CASCADE' })
  @JoinInWorkspace('log_id', 'request_log_word_runs_log_id_fkey', 'logId')
  entry?: Relation<RequestLogSearch>;

  @Column({ name: 'request_start_time', type: 'timestamptz' })
  requestStartTime: Date;

  /** See `WordRuns`; null when nothing is known of them. */
  @Column({ name: 'word_runs', type: 'bytea', nullable: true })
  wordRuns: Buffer | null;

  /** Which runs the filter knows, see `KNOWN_RUNS`. */
  @Column({ name: 'known_runs', type: 'smallint' })
  knownRuns: number;
}

/** Logs whose words are not in the index yet, or not as they are now. */
@Entity('request_log_search_queue')
export class QueuedRequestLog {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'request_log_search_queue_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'log_id', type: 'bigint', primaryKeyConstraintName: 'request_log_search_queue_pkey' })
  logId: string;
}
