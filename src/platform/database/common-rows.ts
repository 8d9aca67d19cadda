import { CreatedAtColumn, DeletedAtColumn, UpdatedAtColumn } from './common-columns.js';

/** Columns of rows that can change. */
export abstract class TimestampedRow {
  @CreatedAtColumn()
  createdAt: Date;

  @UpdatedAtColumn()
  updatedAt: Date;
}

/** Columns of rows that a deletion only hides. */
export abstract class DeletableRow extends TimestampedRow {
  @DeletedAtColumn()
  deletedAt: Date | null;
}
