import { z } from 'zod';
import { StartError } from '../../platform/start-error.js';

/** Name of the format, which identifies archives of this program. */
export const FORMAT = 'tracesheet-workspace';
export const FORMAT_VERSION = 1;

/** The last entry of an archive: a file without it is incomplete. */
export const MANIFEST = 'manifest.json';

/** Bytes of rows in an entry; a single row may be larger. Larger parts outlive the young generation: 8 MiB take twice the time. */
export const PART_BYTES = 1024 * 1024;

/** An archive cannot be read, or must not be restored here. The message says why. */
export class ArchiveRefusal extends StartError {}

const Count = z.number().int().min(0);
const Id = z.number().int().min(1).max(2_147_483_647);

const Part = z.strictObject({
  name: z.string(),
  table: z.string(),
  rows: Count,
  bytes: Count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The contents of `manifest.json`. */
export const Manifest = z.strictObject({
  format: z.literal(FORMAT),
  format_version: z.number().int(),
  /** Version of the product. */
  version: z.string(),
  /** Names of the migrations of the database, oldest first. */
  migrations: z.array(z.string()).min(1),
  workspace: z.strictObject({ id: Id, name: z.string() }),
  exported_at: z.iso.datetime(),
  /** Ids of the keys that the encrypted values need. */
  secrets_keys: z.array(z.string().regex(/^[0-9a-f]{16}$/)),
  /** Users behind members and personal keys. */
  users: z.array(z.strictObject({ id: Id, email: z.string(), created_at: z.iso.datetime() })),
  /** The last number of each sequence of the database. */
  sequences: z.record(z.string(), z.string().regex(/^\d{1,19}$/)),
  /** All tables with rows of workspaces, in the order of the parts. */
  tables: z.array(z.strictObject({ name: z.string(), columns: z.array(z.string()).min(1), rows: Count })),
  parts: z.array(Part),
});

export type Manifest = z.infer<typeof Manifest>;
export type Part = z.infer<typeof Part>;

export const partName = (table: string, index: number): string =>
  `tables/${table}/${String(index + 1).padStart(6, '0')}.copy`;

/** The largest number in the names of migrations, for messages. */
export function migrationNumber(migrations: readonly string[]): string {
  const numbers = migrations.map((name) => Number(/(\d{6})$/.exec(name)?.[1] ?? 0));
  return String(Math.max(0, ...numbers));
}
