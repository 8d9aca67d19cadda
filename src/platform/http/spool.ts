import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';

/** Bytes kept in memory; longer answers go to a file. */
const IN_MEMORY = 1024 * 1024;

/**
 * Buffers an answer that is produced faster than it is read: in memory while it is short, then in an unnamed file, which
 * disappears when its stream is closed or the process ends.
 */
export class Spool {
  private pieces: Uint8Array[] = [];
  private size = 0;
  private file: FileHandle | null = null;

  async write(piece: Uint8Array): Promise<void> {
    this.pieces.push(piece);
    this.size += piece.length;
    if (this.size > IN_MEMORY) await this.flush();
  }

  /** Everything that was written. Call it once; nothing can be written afterwards. */
  read(): Readable {
    const { file, pieces } = this;
    if (!file) return Readable.from(pieces, { objectMode: false });
    // Also when reading has not begun.
    return Readable.from(readAll(file, pieces), { objectMode: false }).once('close', () => void file.close());
  }

  /** Discards an unread answer. */
  async discard(): Promise<void> {
    await this.file?.close();
  }

  private async flush(): Promise<void> {
    this.file ??= await openNameless();
    const pieces = this.pieces;
    this.pieces = [];
    this.size = 0;
    await this.file.appendFile(Buffer.concat(pieces));
  }
}

async function* readAll(file: FileHandle, rest: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>;
  yield* rest;
}

async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tracesheet-'));
  try {
    return await open(path.join(folder, 'answer'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
