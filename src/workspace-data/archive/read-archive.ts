import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { createGunzip } from 'node:zlib';
import { type Entry, extract } from 'tar-stream';
import { readJson } from '../../platform/read-json.js';
import { ArchiveRefusal, FORMAT_VERSION, MANIFEST, Manifest, type Part, partName } from './archive-format.js';
import { RowCheck } from './row-check.js';

/** Limit of entries that are read as a whole: the workspace, and the manifest, which has about 200 bytes for each part. */
const MOST_WHOLE_BYTES = 256 * 1024 * 1024;
/** Limit of bytes between two entries: the headers of one, and the bytes that its reader has not consumed yet. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;

const PART = /^tables\/([a-z0-9_]{1,63})\/\d{6,9}\.copy$/;

/** An entry of the tar file, to be read before the next one. */
export interface ArchiveEntry {
  name: string;
  contents: AsyncIterable<Buffer>;
}

/**
 * The entries of an archive in their order. Only regular files are taken, and nothing is written to a disk by their names.
 * @throws ArchiveRefusal when the file is damaged, incomplete, or no archive
 */
export async function* readEntries(file: string): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  // The pipeline destroys it with the error that it reports itself.
  tar.on('error', () => undefined);
  const unread = new UnreadBytes();
  const reading = pipeline(createReadStream(file), createGunzip({ chunkSize: 256 * 1024 }), unread.counted(), tar);
  // Its failure is thrown by the entries.
  reading.catch(() => undefined);
  try {
    for await (const entry of tar) yield { name: nameOf(entry), contents: unread.taken(entry) };
    await reading;
  } catch (error) {
    throw unreadable(error);
  } finally {
    tar.destroy();
  }
}

function unreadable(error: unknown): ArchiveRefusal {
  if (error instanceof ArchiveRefusal) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const isUnopened = ['ENOENT', 'EACCES', 'EISDIR'].includes(code);
  return new ArchiveRefusal(
    isUnopened
      ? `The archive cannot be opened: ${message}.`
      : `The file is no complete archive of a workspace: ${message}.`,
  );
}

function nameOf({ header: { name, type } }: Entry): string {
  if (type === 'file' && (name === MANIFEST || PART.test(name))) return name;
  throw new ArchiveRefusal(
    `The archive is refused: it has an entry ${JSON.stringify(name)}, which does not belong there.`,
  );
}

/** Limits the bytes in memory, because a header may announce any number of bytes. */
class UnreadBytes {
  private count = 0;

  counted(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.count += chunk.length;
        const isTooMuch = this.count > MOST_UNREAD_BYTES;
        done(isTooMuch ? new Error('an entry has too large a header') : null, chunk);
      },
    });
  }

  async *taken(entry: Entry): AsyncGenerator<Buffer> {
    this.count = 0;
    try {
      for await (const chunk of entry) {
        this.count = 0;
        yield chunk;
      }
    } catch (error) {
      throw unreadable(error);
    }
  }
}

/**
 * Reads an archive to its end and verifies it: every part has the rows and the checksum of the manifest, all rows belong to its
 * workspace, and there are no other entries. Does not read the database.
 * @throws ArchiveRefusal
 */
export async function verifyArchive(file: string): Promise<Manifest> {
  const found: Part[] = [];
  let manifest: Manifest | null = null;
  let workspaceId: number | null = null;
  for await (const { name, contents } of readEntries(file)) {
    if (manifest) throw new ArchiveRefusal(`The archive is refused: ${name} comes after ${MANIFEST}.`);
    if (name === MANIFEST) {
      manifest = await readManifest(contents);
      continue;
    }
    // The workspace is the first row of the first part.
    const known = workspaceId === null ? await readWhole(name, contents) : null;
    workspaceId ??= idIn(known!);
    found.push(await readPart(name, known ? [known] : contents, workspaceId));
  }
  if (!manifest) throw new ArchiveRefusal(`The archive is incomplete: ${MANIFEST}, which is written last, is missing.`);
  assertParts(manifest, found);
  if (manifest.workspace.id !== workspaceId) throw damaged(`${MANIFEST} names another workspace than the rows`);
  return manifest;
}

async function readPart(
  name: string,
  contents: AsyncIterable<Buffer> | Iterable<Buffer>,
  workspaceId: number,
): Promise<Part> {
  const check = new RowCheck(name, workspaceId);
  for await (const chunk of contents) check.add(chunk);
  return { name, table: PART.exec(name)![1]!, ...check.end() };
}

async function readWhole(name: string, contents: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of contents) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_WHOLE_BYTES) throw damaged(`${name} is too large`);
  }
  return Buffer.concat(chunks);
}

function idIn(rows: Buffer): number {
  const id = Number(/^([1-9]\d{0,9})\t/.exec(rows.toString('latin1', 0, 11))?.[1]);
  if (Number.isNaN(id)) throw damaged('its first part is not the workspace');
  return id;
}

async function readManifest(contents: AsyncIterable<Buffer>): Promise<Manifest> {
  const text = await readWhole(MANIFEST, contents);
  const read = Manifest.safeParse(parsed(text.toString('utf8')));
  if (!read.success) throw damaged(`${MANIFEST} is not one of an archive of a workspace`);
  if (read.data.format_version !== FORMAT_VERSION) {
    throw new ArchiveRefusal(
      `The archive has the format ${read.data.format_version}, and this version of Tracesheet reads ${FORMAT_VERSION}. Restore it with Tracesheet ${read.data.version}.`,
    );
  }
  return read.data;
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return null;
  }
}

/** Checks that the parts are those of the manifest. The parts of each table must be numbered from 1 and have all of its rows. */
function assertParts({ parts, tables }: Manifest, found: Part[]): void {
  if (parts.length !== found.length)
    throw damaged(`it has ${found.length} parts, and ${MANIFEST} lists ${parts.length}`);
  for (const [index, part] of parts.entries()) {
    if (!isDeepStrictEqual(part, found[index])) throw damaged(`${found[index]!.name} is not as ${MANIFEST} says`);
  }
  const names = tables.flatMap(({ name }) =>
    parts.filter(({ table }) => table === name).map((_, at) => partName(name, at)),
  );
  if (
    !isDeepStrictEqual(
      names,
      found.map(({ name }) => name),
    )
  )
    throw damaged('its parts are not in order');
  for (const { name, rows } of tables) {
    const counted = parts.reduce((sum, part) => sum + (part.table === name ? part.rows : 0), 0);
    if (counted !== rows) throw damaged(`${name} has ${counted} rows, and ${MANIFEST} says ${rows}`);
  }
}

const damaged = (problem: string): ArchiveRefusal => new ArchiveRefusal(`The archive is damaged: ${problem}.`);
