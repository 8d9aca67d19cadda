import { Readable } from 'node:stream';
import { type ArchiveEntry, readEntries } from './read-archive.js';
import { ArchiveRefusal, type Manifest, type Part } from './archive-format.js';
import { RowCheck } from './row-check.js';

/** The rows of a verified archive, table by table in its order. They are verified once more: the file may have changed since. */
export class ArchiveRows {
  private readonly entries: AsyncGenerator<ArchiveEntry>;

  constructor(
    file: string,
    private readonly manifest: Manifest,
  ) {
    this.entries = readEntries(file);
  }

  /** The rows of the next table, in the text format of COPY. */
  of(table: string): Readable {
    return Readable.from(this.read(table), { objectMode: false, highWaterMark: 256 * 1024 });
  }

  async skip(table: string): Promise<void> {
    for await (const _ of this.read(table));
  }

  async close(): Promise<void> {
    await this.entries.return(undefined);
  }

  private async *read(table: string): AsyncGenerator<Buffer> {
    for (const part of this.manifest.parts.filter((each) => each.table === table)) yield* this.readPart(part);
  }

  private async *readPart({ name, rows, sha256 }: Part): AsyncGenerator<Buffer> {
    const { value: entry } = (await this.entries.next()) as IteratorResult<ArchiveEntry, undefined>;
    const check = new RowCheck(name, this.manifest.workspace.id);
    if (entry?.name === name) {
      for await (const chunk of entry.contents) {
        check.add(chunk);
        yield chunk;
      }
    }
    const found = check.end();
    if (found.rows !== rows || found.sha256 !== sha256) {
      throw new ArchiveRefusal(`The archive was changed while it was read: ${name} is another one now.`);
    }
  }
}
