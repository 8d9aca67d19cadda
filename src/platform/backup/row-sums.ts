import { hash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/** Rows of one workspace in one table. */
export interface RowSum {
  rows: number;
  /** Independent of the order of the rows. */
  checksum: string;
}
export type SumsByWorkspace = Record<string, RowSum>;

const LINE_BREAK = 10;
const TAB = 9;
/** The sums of the first and of the next six bytes of the digests: a double is exact up to 2^53. */
const BYTES = 6;
const MODULUS = 2 ** 48;

interface Sums {
  rows: number;
  first: number;
  second: number;
}

/** Passes the rows of a COPY in text format on and adds them up by workspace. A row is a line, for line breaks in it are escaped. */
export class RowSums extends Transform {
  private readonly byWorkspace = new Map<string, Sums>();
  private rest: Buffer[] = [];

  /** `hasWorkspace`: the first column is the workspace. Otherwise all rows belong to the workspace "". */
  constructor(private readonly hasWorkspace: boolean) {
    super();
  }

  sums(): SumsByWorkspace {
    const toText = (part: number) => part.toString(16).padStart(2 * BYTES, '0');
    return Object.fromEntries(
      [...this.byWorkspace].map(([workspace, { rows, first, second }]) => [
        workspace,
        { rows, checksum: toText(first) + toText(second) },
      ]),
    );
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, from)) {
      this.add(this.complete(chunk.subarray(from, end)));
      from = end + 1;
    }
    if (from < chunk.length) this.rest.push(chunk.subarray(from));
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.rest.length > 0 ? new Error('The rows end in the middle of one.') : null);
  }

  private complete(end: Buffer): Buffer {
    if (this.rest.length === 0) return end;
    const line = Buffer.concat([...this.rest, end]);
    this.rest = [];
    return line;
  }

  private add(line: Buffer): void {
    const workspace = this.hasWorkspace ? workspaceOf(line) : '';
    let sums = this.byWorkspace.get(workspace);
    if (!sums) this.byWorkspace.set(workspace, (sums = { rows: 0, first: 0, second: 0 }));
    const digest = hash('sha1', line, 'buffer');
    sums.rows += 1;
    sums.first = (sums.first + digest.readUIntBE(0, BYTES)) % MODULUS;
    sums.second = (sums.second + digest.readUIntBE(BYTES, BYTES)) % MODULUS;
  }
}

function workspaceOf(line: Buffer): string {
  const end = line.indexOf(TAB);
  return line.toString('latin1', 0, end === -1 ? line.length : end);
}

const NO_ROWS: RowSum = { rows: 0, checksum: '' };

/** Differences between the expected and the actual sums of a table, in sentences. */
export function differencesOf(table: string, expected: SumsByWorkspace, found: SumsByWorkspace): string[] {
  const workspaces = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  return workspaces
    .sort((a, b) => Number(a) - Number(b))
    .flatMap((workspace) => {
      const [should, is] = [expected[workspace] ?? NO_ROWS, found[workspace] ?? NO_ROWS];
      const place = workspace === '' ? table : `${table} of workspace ${workspace}`;
      if (should.rows !== is.rows) return `${place} has ${is.rows} rows; in the backup it has ${should.rows}.`;
      if (should.checksum === is.checksum) return [];
      return `${place} has ${is.rows} rows as in the backup, but some of them have other contents.`;
    });
}
