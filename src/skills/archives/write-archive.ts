import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';

const compress = promisify(deflateRaw);
/** Half the time of the usual level, for archives that are three hundredths larger. */
const LEVEL = 4;
const STORED = 0;
const DEFLATED = 8;

/** Said of every file in our archives: nothing may be taken away from its path when it comes back. */
export const WHOLE_PATH = 'whole path';

export interface ArchivedFile {
  path: string;
  content: Uint8Array;
}

/** A ZIP archive of files, which come some at a time; nothing of it is kept. Compressing does not hold up the process. */
export async function* writeArchive(
  groups: AsyncIterable<ArchivedFile[]>,
  modifiedAt: Date,
): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  for await (const group of groups) {
    for (const { path, content, compressed } of await Promise.all(group.map(withCompressed))) {
      const isSmaller = compressed.length < content.length;
      const entry: ZipInputFile = {
        filename: path,
        size: content.length,
        crc: crc32(content),
        compression: isSmaller ? DEFLATED : STORED,
        mtime: modifiedAt,
        comment: WHOLE_PATH,
      };
      zip.add(entry);
      entry.ondata!(null, isSmaller ? compressed : content, true);
      yield Buffer.concat(ready.splice(0));
    }
  }
  zip.end();
  yield Buffer.concat(ready.splice(0));
}

async function withCompressed(file: ArchivedFile): Promise<ArchivedFile & { compressed: Uint8Array }> {
  return { ...file, compressed: await compress(file.content, { level: LEVEL }) };
}
