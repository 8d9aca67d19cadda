import { createHash } from 'node:crypto';
import { ArchiveRefusal } from './archive-format.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * Checks a stream of rows in the text format of COPY: counts and hashes them, and refuses rows of other workspaces. A row is a line
 * that starts with the workspace, because COPY escapes line breaks in values. Holds no row in memory.
 */
export class RowCheck {
  private readonly hash = createHash('sha256');
  private readonly beginning: Buffer;
  /** How many bytes of `beginning` the current line has so far. */
  private matched = 0;
  private rows = 0;
  private bytes = 0;

  constructor(
    private readonly name: string,
    workspaceId: number,
  ) {
    this.beginning = Buffer.from(`${workspaceId}\t`);
  }

  add(chunk: Buffer): void {
    // COPY takes a carriage return for the end of a row if the first row ends with one.
    if (chunk.includes(CARRIAGE_RETURN)) this.refuse('has a carriage return, which rows never contain');
    this.hash.update(chunk);
    this.bytes += chunk.length;
    for (let at = 0; at < chunk.length;) at = this.isInBeginning ? this.match(chunk, at) : this.skipRow(chunk, at);
  }

  end(): { rows: number; bytes: number; sha256: string } {
    if (this.matched !== 0) this.refuse('ends in the middle of a row');
    return { rows: this.rows, bytes: this.bytes, sha256: this.hash.digest('hex') };
  }

  private get isInBeginning(): boolean {
    return this.matched < this.beginning.length;
  }

  /** Returns the position at which the chunk continues. */
  private match(chunk: Buffer, at: number): number {
    const length = Math.min(this.beginning.length - this.matched, chunk.length - at);
    const isEqual = chunk.compare(this.beginning, this.matched, this.matched + length, at, at + length) === 0;
    if (!isEqual) this.refuse('has a row that is not of the workspace');
    this.matched += length;
    return at + length;
  }

  private skipRow(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(LINE_FEED, at);
    if (end === -1) return chunk.length;
    this.endRow();
    return end + 1;
  }

  private endRow(): void {
    this.rows++;
    this.matched = 0;
  }

  private refuse(problem: string): never {
    throw new ArchiveRefusal(`The archive is refused: ${this.name} ${problem}.`);
  }
}
