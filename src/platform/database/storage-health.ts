import { Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { isStorageFailure } from '../errors/failures.js';

/** Writes count as impossible for this long after a failed one. */
const REMEMBERED_MS = 3000;
/** Shortest interval between probes; in between the last answer is used. */
const PROBED_EVERY_MS = 1000;

/**
 * PostgreSQL writes these numbers to a temporary file, as they exceed work_mem: no table grows, no lock is taken, and the
 * write-ahead log does not grow, which might be what fills the disk.
 */
const PROBE = `
  SELECT current_setting('transaction_read_only') = 'off' AS writes, count(*) AS numbers
    FROM generate_series(1, 20000)`;

/** Whether the database takes writes, according to failed statements, otherwise by a probe. */
@Injectable()
export class StorageHealth {
  private failedAt = -Infinity;
  private probedAt = -Infinity;
  private probed: Promise<boolean> = Promise.resolve(true);

  /** Records a failed statement. */
  note(error: unknown): void {
    if (isStorageFailure(error)) this.failedAt = performance.now();
  }

  /** False while writes are impossible, and for three seconds after a failed write. Never rejects. */
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
