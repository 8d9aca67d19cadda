import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { Problem } from '../../platform/errors/problem.js';
import { checkNewPath } from '../files/file-paths.js';
import { isLayoutFolder } from '../files/layouts.js';
import type { GivenFile } from '../files/skill-contents.js';
import { SkillErrors } from '../shared/skills.errors.js';
import { WHOLE_PATH } from './write-archive.js';

const MIB = 1024 * 1024;
/** Maximum number of entries of all kinds. Some systems add folders and files. */
const MOST_ENTRIES = 2000;
/** Bytes of all files together. */
const MOST_BYTES = 128 * MIB;
/** Maximum ratio of compression; texts and programs stay below it. Not checked for small archives. */
const MOST_RATIO = 100;
const RATIO_FROM = 16 * MIB;

/** Files that operating systems add to archives. */
const LITTER = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/;
const FILE_KIND = 0o170000;
const SYMBOLIC_LINK = 0o120000;

export interface Archive {
  files: GivenFile[];
  /** Folder around all files that was probably added by the packing program; null if there is none. */
  wrapper: string | null;
}

/** Removes the wrapping folder from the paths, unless it belongs to the collection according to `belongs`. */
export function unwrapped({ files, wrapper }: Archive, belongs?: (folder: string) => boolean): GivenFile[] {
  if (wrapper === null || belongs?.(wrapper)) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(wrapper.length + 1) }));
}

/**
 * Reads a ZIP archive. Checks sizes and paths in its directory before anything is unpacked. Files that differ from their entries
 * are refused while they are read. Throws skill_archive_invalid and skill_path_invalid.
 */
export async function readArchive(bytes: Buffer): Promise<Archive> {
  const archive = await fromBufferPromise(bytes, OPTIONS).catch(refuse);
  const entries = (await entriesOf(archive).catch(refuse)).filter(isFile);
  refuseExcess(entries, bytes.length);
  const files = entries.map((entry) => ({
    path: entry.fileName,
    size: entry.uncompressedSize,
    read: () => contentOf(archive, entry),
  }));
  return { files, wrapper: wrappingFolder(entries) };
}

// Keeps names with backslashes, which are refused later.
const OPTIONS = { lazyEntries: true, autoClose: false, strictFileNames: true, validateEntrySizes: true };

async function entriesOf(archive: ZipFile): Promise<Entry[]> {
  if (archive.entryCount > MOST_ENTRIES) throw refusal(`it has more than ${MOST_ENTRIES} entries`);
  const entries: Entry[] = [];
  for await (const entry of archive.eachEntry()) entries.push(entry);
  return entries;
}

function isFile({ fileName }: Entry): boolean {
  return !fileName.endsWith('/') && !LITTER.test(fileName);
}

function refuseExcess(entries: Entry[], archiveBytes: number): void {
  let bytes = 0;
  for (const entry of entries) {
    checkNewPath(entry.fileName);
    if (entry.isEncrypted()) throw refusal(`the file "${entry.fileName}" is encrypted`);
    if (isLink(entry)) throw refusal(`the file "${entry.fileName}" is a symbolic link`);
    bytes += entry.uncompressedSize;
  }
  if (bytes > MOST_BYTES) throw refusal(`its files are together larger than ${MOST_BYTES} bytes`);
  if (bytes > RATIO_FROM && bytes > archiveBytes * MOST_RATIO) {
    throw refusal(`its files are more than ${MOST_RATIO} times as large as itself`);
  }
}

const isLink = ({ externalFileAttributes }: Entry): boolean =>
  ((externalFileAttributes >>> 16) & FILE_KIND) === SYMBOLIC_LINK;

/**
 * Finds a common folder of all files that a packing program may have added. Folders of layouts and of a skill belong to the
 * files, and so do all folders in an archive that was written here.
 */
function wrappingFolder(entries: Entry[]): string | null {
  const [folder] = entries[0]?.fileName.split('/', 1) ?? [];
  if (folder === undefined || isLayoutFolder(folder)) return null;
  const wraps = entries.every(({ fileName, fileComment }) => {
    const isOurs = String(fileComment) === WHOLE_PATH;
    return fileName.startsWith(`${folder}/`) && fileName !== `${folder}/SKILL.md` && !isOurs;
  });
  return wraps ? folder : null;
}

async function contentOf(archive: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await archive.openReadStreamPromise(entry).catch(refuse);
  const content = await buffer(stream).catch(refuse);
  if (crc32(content) !== entry.crc32) throw refusal(`the file "${entry.fileName}" is damaged`);
  return content;
}

/** Turns errors of the archive reader into problems of the archive. */
function refuse(error: unknown): never {
  throw error instanceof Problem ? error : refusal((error as Error).message);
}

const refusal = (problem: string): Problem => SkillErrors.skill_archive_invalid(problem.replace(/\.$/, ''));
