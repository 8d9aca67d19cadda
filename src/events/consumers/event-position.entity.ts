import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';

/**
 * The position of a consumer in the events of a workspace. Events become visible in the order in which their transactions commit,
 * not in the order of their ids. So a position is a set of transactions, as in a snapshot of PostgreSQL: all with lower numbers
 * than `xmax` except those that were open.
 */
@Entity('event_positions')
export class EventPosition {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'text' })
  consumer: string;

  @Column({ name: 'seen_xmax', type: 'bigint' })
  seenXmax: string;

  @Column({ name: 'seen_open', type: 'bigint', array: true })
  seenOpen: string[];

  /** The snapshot that is being processed, in the same form; null when all of it was seen. */
  @Column({ name: 'next_xmax', type: 'bigint', nullable: true })
  nextXmax: string | null;

  @Column({ name: 'next_open', type: 'bigint', array: true, nullable: true })
  nextOpen: string[] | null;

  /** The last event of that snapshot that was consumed. */
  @Column({ name: 'event_id', type: 'bigint', nullable: true })
  eventId: string | null;

  /** Failures of the event after that. */
  @Column({ type: 'smallint', default: 0 })
  attempts: number;

  @Column({ name: 'next_attempt_at', type: 'timestamptz', precision: 3, nullable: true })
  nextAttemptAt: Date | null;
}
