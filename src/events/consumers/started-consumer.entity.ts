import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A consumer of events, and what had happened when a worker first started with it: it does not get that. */
@Entity('event_consumers')
export class StartedConsumer {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'event_consumers_pkey' })
  name: string;

  /** Where it starts in workspaces in which it has no position; see `EventPosition`. */
  @Column({ name: 'seen_xmax', type: 'bigint' })
  seenXmax: string;

  @Column({ name: 'seen_open', type: 'bigint', array: true })
  seenOpen: string[];

  /** The database server that numbered the transactions: another one counts from another number. */
  @Column({ type: 'bigint' })
  server: string;
}
