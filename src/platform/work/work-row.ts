import { Column } from 'typeorm';

/** What a row of a table of work (`RowWork`) has besides its keys and its status. */
export abstract class WorkRow {
  /** How often a worker has begun it, but for those that gave it back. */
  @Column({ type: 'smallint', default: 0 })
  attempts: number;

  /** Of the worker that has it; another one at every claim. */
  @Column({ type: 'uuid', nullable: true })
  claim: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;
}
