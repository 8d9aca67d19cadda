import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { compareVersions } from '../../src/platform/database/oldest-release.js';
import type { SchemaRow } from '../support/schema.js';

/** A request to a release, with the parts of its answer that were the same every time. */
export interface RecordedAnswer {
  method: 'GET' | 'POST';
  url: string;
  body?: object;
  status: number;
  answer: unknown;
}

/** Data that `npm run keep-release` has kept of a release. */
export interface Release {
  version: string;
  /** Keys of the first workspace: one with the role admin, and one that only reads. */
  apiKey: string;
  viewerKey: string;
  secretsKey: string;
  /** The path of a sheet that computes by itself. */
  sheet: string;
  answers: RecordedAnswer[];
}

export const folderOf = (version: string): string => path.join(import.meta.dirname, version);
export const backupOf = (version: string): string => path.join(folderOf(version), 'backup');
export const schemaFileOf = (version: string): string => path.join(folderOf(version), 'schema.txt');

/** The oldest first. */
export function keptReleases(): Release[] {
  const versions = readdirSync(import.meta.dirname).filter((name) => /^\d/.test(name));
  return versions
    .sort(compareVersions)
    .map(
      (version) =>
        JSON.parse(gunzipSync(readFileSync(path.join(folderOf(version), 'release.json.gz'))).toString()) as Release,
    );
}

export function migrationsOf(version: string): Set<string> {
  const text = readFileSync(path.join(backupOf(version), 'backup.json'), 'utf8');
  return new Set((JSON.parse(text) as { migrations: string[] }).migrations);
}

/** One line for each thing, so that a difference shows. */
export const schemaText = (parts: SchemaRow[][]): string => `${parts.flatMap((rows) => rows.map(lineOf)).join('\n')}\n`;

/** Values that are null, empty or false are left out. */
const lineOf = (row: SchemaRow): string =>
  Object.entries(row)
    .filter(([, value]) => value !== null && value !== '' && value !== false)
    .map(([name, value]) => (value === true ? name : typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' | ');
