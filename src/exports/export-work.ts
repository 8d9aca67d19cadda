import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Problem } from '../platform/errors/problem.js';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../platform/work/row-work.js';
import { type WorkControl, WorkFailure } from '../platform/work/work-kind.js';
import { WorkspaceChanges } from '../live/index.js';
import { storeInChunks, type StoredFile } from './chunk-store.js';
import { ExportReading } from './export-reading.js';
import { Export } from './export.entity.js';
import { restartExport, deleteChunks, storeChunk } from './exports.queries.js';
import { isWrapped, writerFor } from './formats/export-format.js';
import { SOURCES } from './sources/export-sources.js';
import { columnsOf, countRows, readPieces, type Selection } from './sources/read-pieces.js';

export const EXPORT_ROWS: WorkTable = {
  name: 'export',
  table: 'exports',
  idType: 'uuid',
  open: 'w.finished_at IS NULL',
  claimed: 'row_total = NULL, row_count = 0, chunk_count = 0, bytes = 0',
  givenBack: `status = 'queued'`,
};

interface Run {
  claim: ClaimedRow;
  signal: AbortSignal;
  rows: number;
}

/**
 * Writes the files of exports. All rows are read in one snapshot, which ends with its worker: a worker that takes over
 * starts again. Memory holds a few megabytes of the file at any time, or one row if that is larger.
 */
@Injectable()
export class ExportWork extends RowWork<Export> {
  constructor(
    db: DataSource,
    private readonly reading: ExportReading,
    private readonly changes: WorkspaceChanges,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    super(db, EXPORT_ROWS, Export);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    const { workspaceId, id } = claim;
    const run = { claim, signal, rows: 0 };
    await restartExport(this.db.manager, claim);
    const { source, format, request } = await this.readClaimed(this.db.manager, claim);
    const selection = { source: SOURCES[source], workspaceId, request };
    // Progress is written outside the snapshot, so clients can see it while the file is made.
    let isPartial = false;
    const file = await this.reading.read({ workspaceId, source }, async (snapshot, isFresh) => {
      isPartial = !isFresh;
      const rowTotal = (await countRows(snapshot, selection))?.toString() ?? null;
      await this.update(this.db.manager, claim, { rowTotal });
      const pieces = Readable.from(this.encode(snapshot, run, { ...selection, format }), { objectMode: false });
      const wrapping = isWrapped(format, request.compression) ? createGzip() : new PassThrough();
      let storing: Promise<StoredFile> | undefined;
      const store = (bytes: AsyncIterable<Uint8Array>) => (storing = this.store(run, bytes));
      try {
        return await pipeline(pieces, wrapping, store, { signal });
      } finally {
        // An aborted pipeline does not wait. The transaction must not end while a statement runs in it, and nothing may be
        // written after the claim was given back.
        if (!pieces.closed) await once(pieces, 'close').catch(() => undefined);
        await storing?.catch(() => undefined);
      }
    });
    const rows = String(run.rows);
    const completed = { rowCount: rows, rowTotal: rows, sha256: file.sha256, isPartial, ...this.ended };
    await this.end(this.db.manager, claim, { status: 'completed', ...completed });
    this.changes.change(workspaceId, { kind: 'export', id });
  }

  async fail(claim: ClaimedRow, error: unknown): Promise<void> {
    if (error instanceof Problem && error.code === 'reading_busy') {
      // All connections for reads are in use. The export itself has not failed.
      await this.giveBack(claim);
      throw error;
    }
    const errorMessage = this.messageOf(error, claim, 'The export failed because of an error on the server.');
    await this.db.transaction(async (tx) => {
      await this.end(tx, claim, { status: 'failed', errorMessage, chunkCount: 0, bytes: '0', ...this.ended });
      await deleteChunks(tx, claim);
    });
    this.changes.change(claim.workspaceId, { kind: 'export', id: claim.id });
  }

  private get ended() {
    return { finishedAt: now, expiresAt: () => `now() + ${this.config.exportRetentionDays} * interval '1 day'` };
  }

  private async *encode(
    tx: EntityManager,
    run: Run,
    selection: Selection & Pick<Export, 'format'>,
  ): AsyncGenerator<Uint8Array> {
    const writer = writerFor(selection.format, columnsOf(selection), selection.request);
    yield writer.start();
    for await (const rows of readPieces(tx, selection)) {
      run.signal.throwIfAborted();
      const bytes = writer.write(rows);
      run.rows += rows.length;
      // Parquet returns bytes only when a row group is full.
      if (bytes.length > 0) yield bytes;
    }
    yield writer.end();
  }

  private store(run: Run, bytes: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    const most = this.config.exportMaxBytes;
    const limit = {
      bytes: most,
      exceeded: () => new WorkFailure(`The file would be larger than ${most} bytes. Narrow the filter or set a limit.`),
    };
    const store = (content: Buffer, number: number) => {
      run.signal.throwIfAborted();
      return storeChunk(this.db.manager, run.claim, { number, content, rows: run.rows });
    };
    return storeInChunks(bytes, store, limit);
  }
}
