import { Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { isStorageFailure } from './failures.js';

/** Nothing counts as storable for this long after a write has failed. */
const REMEMBERED_MS = 3000;
/** Whoever asks more often gets the last answer. */
const PROBED_EVERY_MS = 1000;

/**
 * PostgreSQL writes these numbers to a temporary file beside its data, as they do not fit into the memory they may have: no table grows by
 * it, no lock is taken, and its log does not grow, which might be what fills the disk.
 */
const PROBE = `
  SELECT current_setting('transaction_read_only') = 'off' AS writes, count(*) AS numbers
    FROM generate_series(1, 20000)`;

/** Whether the database takes writes. Statements that fail are noted; otherwise a probe tells. */
@Injectable()
export class StorageHealth {
  private failedAt = -Infinity;
  private probedAt = -Infinity;
  private probed: Promise<boolean> = Promise.resolve(true);

  /** Takes note of a statement that failed. */
  note(error: unknown): void {
    if (isStorageFailure(error)) this.failedAt = performance.now();
  }

  /** False while nothing can be stored, and for three seconds after a write has failed. Never rejects. */
  async takesWrites(db: DataSource): Promise<boolean> {
    if (performance.now() - this.probedAt >= PROBED_EVERY_MS) {
      this.probedAt = performance.now();
      this.probed = probe(db).catch(() => false);
    }
    return (await this.probed) && performance.now() - this.failedAt >= REMEMBERED_MS;
  }
}

function probe(db: DataSource): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.query(`SET LOCAL work_mem = '64kB'`);
    const [{ writes }] = await tx.query<[{ writes: boolean }]>(PROBE);
    return writes;
  });
}
