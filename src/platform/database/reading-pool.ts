import type { OnApplicationShutdown } from '@nestjs/common';
import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex';
import { DataSource, type EntityManager } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions.js';
import type { Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { failureCode } from '../errors/failures.js';

/** How long a read waits for a connection; no longer than a statement may take. */
const PATIENCE_MS = 10_000;

const QUERY_CANCELED = '57014';
/** pg-pool reports this only when all connections were busy; an unreachable server has another message. */
const ALL_BUSY = 'timeout exceeded when trying to connect';

/** Statistics of pg-pool. */
export interface PoolCounts {
  totalCount: number;
  idleCount: number;
  /** Requests that wait for a connection. */
  waitingCount: number;
}

/**
 * A few connections for long reads: charts over a million logs, exports. They cannot write, and do not use the connections of
 * ingestion.
 */
export class ReadingPool implements OnApplicationShutdown {
  private readonly files: SemaphoreInterface;

  private constructor(
    private readonly source: DataSource,
    private readonly timeoutMs: number,
    connections: number,
  ) {
    const patience = Math.min(PATIENCE_MS, timeoutMs);
    // One connection is reserved for charts.
    this.files = withTimeout(new Semaphore(Math.max(1, connections - 1)), patience, PlatformErrors.reading_busy());
  }

  /** A pool on the database of `main` with connections of its own. */
  static async beside(main: DataSource, { readingPool, readingTimeoutMs }: Config): Promise<ReadingPool> {
    const options = main.options as PostgresDataSourceOptions;
    const source = new DataSource({
      ...options,
      applicationName: 'tracesheet-reading',
      installExtensions: false,
      extra: {
        ...options.extra,
        pool: 'reading',
        max: readingPool,
        statement_timeout: readingTimeoutMs,
        connectionTimeoutMillis: Math.min(PATIENCE_MS, readingTimeoutMs),
        options: '-c jit=off -c default_transaction_read_only=on',
      },
    });
    return new ReadingPool(await source.initialize(), readingTimeoutMs, readingPool);
  }

  /**
   * Runs `work` in one read-only transaction, whose statements all see the same moment. The time limit applies to each statement.
   * Throws `reading_timeout` and `reading_busy` (both 503).
   */
  async read<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.source.transaction('REPEATABLE READ', work);
    } catch (error) {
      if (failureCode(error) === QUERY_CANCELED) throw PlatformErrors.reading_timeout(this.timeoutMs);
      if (error instanceof Error && error.message === ALL_BUSY) throw PlatformErrors.reading_busy();
      throw error;
    }
  }

  /** The same for files: such reads have many statements and never take all connections. */
  readForFile<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.files.runExclusive(() => this.read(work));
  }

  /** Numbers of connections. */
  get counts(): PoolCounts {
    return poolOf(this.source);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.source.destroy();
  }
}

/** The pool of pg, which the types of TypeORM leave out. */
export function poolOf({ driver }: DataSource): PoolCounts {
  return (driver as unknown as { master: PoolCounts }).master;
}
