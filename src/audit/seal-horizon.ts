import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/**
 * Transactions that may still commit audit entries. A transaction that inserts locks the table before it takes an id and releases the lock
 * after its commit is visible.
 */
const WRITERS = `
  SELECT virtualtransaction AS writer FROM pg_locks
   WHERE locktype = 'relation' AND relation = 'audit_entries'::regclass AND mode = 'RowExclusiveLock' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const LAST_ID = `
  SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('audit_entries', 'id')::regclass), 0)::text AS id`;

/** An id, and the transactions that may still commit entries up to it. */
interface Barrier {
  lastId: number;
  writers: Set<string>;
}

/**
 * Finds ids below which no audit entry can appear any more: an id is taken before its transaction commits, so an entry with a smaller
 * id may become visible later. Nothing is locked; writers never wait for it.
 */
@Injectable()
export class SealHorizon {
  private barrier: Barrier | null = null;
  private settled = 0;

  constructor(private readonly db: DataSource) {}

  /** Returns the largest settled id. It advances once the transactions that were open at the first look have ended. */
  async advance(): Promise<number> {
    if (this.barrier) this.pass(this.barrier, await this.readWriters());
    if (!this.barrier) {
      const [row] = await this.db.query<{ id: string }[]>(LAST_ID);
      // Writers are read after the id: those that took a smaller one hold the lock or have ended.
      const writers = await this.readWriters();
      this.pass({ lastId: Number(row!.id), writers }, writers);
    }
    return this.settled;
  }

  private pass({ lastId, writers }: Barrier, open: Set<string>): void {
    const left = new Set([...writers].filter((writer) => open.has(writer)));
    this.barrier = left.size > 0 ? { lastId, writers: left } : null;
    if (!this.barrier) this.settled = lastId;
  }

  private async readWriters(): Promise<Set<string>> {
    const rows = await this.db.query<{ writer: string }[]>(WRITERS);
    return new Set(rows.map(({ writer }) => writer));
  }
}
