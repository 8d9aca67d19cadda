import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { isConnectionFailure } from '../platform/database/failures.js';
import { ReadingPool } from '../platform/database/reading-pool.js';
import { Problem } from '../platform/errors/problem.js';
import { TraceFreshness } from '../traces/index.js';
import { storeInChunks, type StoredFile } from './chunk-store.js';
import { Export } from './export.entity.js';
import {
  type Claim,
  claimExport,
  ClaimLost,
  failExport,
  finishExport,
  giveBack,
  renewLease,
  storeChunk,
  storeTotal,
} from './exports.queries.js';
import { isWrapped, writerFor } from './formats/export-format.js';
import { SOURCES } from './sources/export-sources.js';
import { columnsOf, countRows, readPieces, type Selection } from './sources/read-pieces.js';

/** An export whose worker died so often is not tried again. */
const MAX_ATTEMPTS = 5;

class ExportFailure extends Error {}

/** A stop of the process, or all reading connections taken: nothing is wrong with the export itself. */
class Interrupted extends Error {}

interface Run {
  claim: Claim;
  stop: AbortController;
  rows: number;
}

/**
 * Writes the files of exports. All rows are read at one moment, in a transaction that ends with its worker: one that
 * takes over begins again. Memory holds a few megabytes of the file at any time, or one row if that is larger.
 */
@Injectable()
export class ExportRunner implements OnModuleDestroy {
  private readonly log = new Logger(ExportRunner.name);
  private readonly running = new Map<Run, Promise<void>>();

  constructor(
    private readonly db: DataSource,
    private readonly reading: ReadingPool,
    private readonly freshness: TraceFreshness,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Works on an export until it has ended. Does nothing when it has, or when another worker has it. */
  async run(workspaceId: number, id: string): Promise<void> {
    const claim = await this.db.transaction((tx) => claimExport(tx, workspaceId, id, this.config.leaseMs));
    if (!claim) return;
    const run = { claim, stop: new AbortController(), rows: 0 };
    const work = this.work(run).finally(() => this.running.delete(run));
    this.running.set(run, work);
    await work;
  }

  /** What is not finished by then is begun again by another worker at once, not when its lease ends. */
  async onModuleDestroy(): Promise<void> {
    for (const { stop } of this.running.keys()) stop.abort(new Interrupted());
    await Promise.allSettled(this.running.values());
  }

  private async work(run: Run): Promise<void> {
    const heartbeat = setInterval(() => this.keep(run), this.config.leaseMs / 3);
    try {
      if (run.claim.attempts > MAX_ATTEMPTS)
        throw new ExportFailure(`The export was interrupted ${MAX_ATTEMPTS} times.`);
      await this.write(run);
    } catch (error) {
      await this.end(run.claim, unwrap(error, run.stop.signal));
    } finally {
      clearInterval(heartbeat);
    }
  }

  private keep(run: Run): void {
    renewLease(this.db.manager, run.claim, this.config.leaseMs).then(
      (kept) => !kept && run.stop.abort(new ClaimLost()),
      // When it fails the lease ends, another worker takes over, and the next chunk here notices.
      () => undefined,
    );
  }

  private async write(run: Run): Promise<void> {
    const { workspaceId, id } = run.claim;
    const { source, format, request } = await this.db.manager.findOneByOrFail(Export, { workspaceId, id });
    const selection = { source: SOURCES[source], workspaceId, request };
    // What was just written is part of the file.
    if (source !== 'requests') await this.freshness.ofWorkspace(workspaceId);
    const file = await this.reading.read(async (tx) => {
      await storeTotal(this.db.manager, run.claim, await countRows(tx, selection));
      const pieces = Readable.from(this.encode(tx, run, { ...selection, format }), { objectMode: false });
      const wrapping = isWrapped(format, request.compression) ? createGzip() : new PassThrough();
      let storing: Promise<StoredFile> | undefined;
      const store = (bytes: AsyncIterable<Uint8Array>) => (storing = this.store(run, bytes));
      try {
        return await pipeline(pieces, wrapping, store, { signal: run.stop.signal });
      } finally {
        // An aborted pipeline waits for nothing. The transaction must not end under a statement that still runs in it,
        // and what is given back must not be written to.
        if (!pieces.closed) await once(pieces, 'close').catch(() => undefined);
        await storing?.catch(() => undefined);
      }
    });
    await finishExport(this.db.manager, run.claim, {
      rows: run.rows,
      sha256: file.sha256,
      keepDays: this.config.exportRetentionDays,
    });
  }

  private async *encode(
    tx: EntityManager,
    run: Run,
    selection: Selection & Pick<Export, 'format'>,
  ): AsyncGenerator<Uint8Array> {
    const writer = writerFor(selection.format, columnsOf(selection), selection.request);
    yield writer.start();
    for await (const rows of readPieces(tx, selection)) {
      run.stop.signal.throwIfAborted();
      const bytes = writer.write(rows);
      run.rows += rows.length;
      // Parquet gives bytes only when a row group is full.
      if (bytes.length > 0) yield bytes;
    }
    yield writer.end();
  }

  private store(run: Run, bytes: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    const most = this.config.exportMaxBytes;
    const limit = {
      bytes: most,
      exceeded: () =>
        new ExportFailure(`The file would be larger than ${most} bytes. Narrow the filter or set a limit.`),
    };
    const store = (content: Buffer, number: number) => {
      run.stop.signal.throwIfAborted();
      return storeChunk(this.db.manager, run.claim, { number, content, rows: run.rows });
    };
    return storeInChunks(bytes, store, limit);
  }

  private async end(claim: Claim, error: unknown): Promise<void> {
    if (error instanceof ClaimLost) return;
    if (error instanceof Interrupted || isBusy(error)) return giveBack(this.db.manager, claim);
    // Without a database nothing can be recorded: the lease ends and the sweep takes the export up again.
    if (isConnectionFailure(error)) throw error;
    const expected = error instanceof ExportFailure || error instanceof Problem;
    if (!expected) this.log.error(`Export ${claim.id}: ${error instanceof Error ? error.stack : String(error)}`);
    const message = expected ? error.message : 'The export failed because of an error on the server.';
    const keepDays = this.config.exportRetentionDays;
    await this.db.transaction((tx) => failExport(tx, claim, { message, keepDays }));
  }
}

/** An aborted pipeline says only that it was aborted. */
function unwrap(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted && error instanceof Error && error.name === 'AbortError' ? signal.reason : error;
}

const isBusy = (error: unknown): boolean => error instanceof Problem && error.code === 'reading_busy';
