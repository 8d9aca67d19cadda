import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A consumer of events with its starting position: it does not get earlier events. */
@Entity('event_consumers')
export class StartedConsumer {
  @PrimaryColumn({ type: 'text' })
  name: string;

  /** Its start in workspaces without an `EventPosition`. */
  @Column({ name: 'seen_xmax', type: 'bigint' })
  seenXmax: string;

  @Column({ name: 'seen_open', type: 'bigint', array: true })
  seenOpen: string[];

  /** The database server that numbered the transactions; another server has other numbers. */
  @Column({ type: 'bigint' })
  server: string;
}
