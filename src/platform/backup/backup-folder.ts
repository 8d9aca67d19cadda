import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { readJson } from '../read-json.js';
import { StartError } from '../start-error.js';
import type { SumsByWorkspace } from './row-sums.js';

const FORMAT = 1;
const MANIFEST = 'backup.json';
/** Higher levels take twice the time for files a tenth smaller. */
const COMPRESSION_LEVEL = 2;
/** Backups contain customer data and hashes of keys. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

export interface TableInBackup {
  name: string;
  /** Columns in the order of a row. The workspace comes first if the table has one. */
  columns: string[];
  hasWorkspace: boolean;
  sums: SumsByWorkspace;
}

export interface SequenceInBackup {
  name: string;
  value: string;
  isCalled: boolean;
}

/** Description of a backup. It is written last: a folder without it is no backup. */
export interface BackupManifest {
  format: number;
  madeAt: string;
  /** Names of the migrations of the database. */
  migrations: string[];
  tables: TableInBackup[];
  sequences: SequenceInBackup[];
  /** Ids of the keys that the encrypted values need; missing in backups of version 0.2. */
  secretsKeys?: string[];
}

/** A folder with a file of compressed rows for each table, in the text format of COPY. */
export class BackupFolder {
  private constructor(readonly path: string) {}

  /** @throws StartError when the folder has something in it */
  static async create(folder: string): Promise<BackupFolder> {
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    if ((await readdir(folder)).length > 0) {
      throw new StartError(`The folder ${folder} is not empty. Name a new one for the backup.`);
    }
    return new BackupFolder(folder);
  }

  /** @throws StartError when there is no backup of a known format in the folder */
  static async open(folder: string): Promise<{ folder: BackupFolder; manifest: BackupManifest }> {
    const manifest = await readManifest(folder);
    if (!manifest) throw new StartError(`There is no complete backup in ${folder}.`);
    if (manifest.format !== FORMAT) {
      throw new StartError(
        `The backup in ${folder} was made by another version of Tracesheet, with a format this one cannot read.`,
      );
    }
    return { folder: new BackupFolder(folder), manifest };
  }

  /** Streams that write the rows of a table into its file. The last one has ended when they are on disk. */
  toFile(table: string): [compressed: Writable & Readable, file: Writable] {
    const file = createWriteStream(this.fileOf(table), { flags: 'wx', mode: PRIVATE_FILE, flush: true });
    return [createGzip({ level: COMPRESSION_LEVEL, chunkSize: 256 * 1024 }), file];
  }

  /** Streams that read the rows of a table. */
  fromFile(table: string): [file: Readable, rows: Writable & Readable] {
    return [createReadStream(this.fileOf(table)), createGunzip({ chunkSize: 256 * 1024 })];
  }

  async finish(manifest: Omit<BackupManifest, 'format'>): Promise<void> {
    const draft = path.join(this.path, `${MANIFEST}.new`);
    const file = await open(draft, 'wx', PRIVATE_FILE);
    await file.writeFile(`${JSON.stringify({ format: FORMAT, ...manifest }, null, 1)}\n`);
    await file.sync();
    await file.close();
    await rename(draft, path.join(this.path, MANIFEST));
  }

  private fileOf(table: string): string {
    return path.join(this.path, `${table}.copy.gz`);
  }
}

/** Null when there is no valid manifest. */
async function readManifest(folder: string): Promise<BackupManifest | null> {
  try {
    const manifest: unknown = readJson(await readFile(path.join(folder, MANIFEST), 'utf8'));
    return typeof manifest === 'object' ? (manifest as BackupManifest | null) : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
