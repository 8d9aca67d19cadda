import { Column } from 'typeorm';
import { CreatedAtColumn, UpdatedAtColumn } from '../database/common-columns.js';

/** Columns of a table of work (`RowWork`), besides its keys and its status. */
export abstract class WorkRow {
  /** Number of attempts, without those that were given back. */
  @Column({ type: 'smallint', default: 0 })
  attempts: number;

  /** Id of the current claim; every claim has a new one. */
  @Column({ type: 'uuid', nullable: true })
  claim: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;
}

/** Columns of work that can also be changed by clients. */
export abstract class TimestampedWorkRow extends WorkRow {
  @CreatedAtColumn()
  createdAt: Date;

  @UpdatedAtColumn()
  updatedAt: Date;
}
