import { readFileSync } from 'node:fs';
import os from 'node:os';
import pg from 'pg';

/** The value below which a part `share` (0 to 1) of the values lies. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: number[]): number => quantile(values, 0.5);

/** One line that names what was measured on. */
export async function machine(databaseUrl: string): Promise<string> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  await client.end();
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 1024 ** 3);
  return `${cpus[0]?.model ?? 'unknown processor'}, ${cpus.length} cores, ${memory} GiB, Node ${process.versions.node}, PostgreSQL ${rows[0]!.server_version}`;
}

export interface ProcessMemory {
  /** Resident now and at most, in MiB. */
  now: number;
  most: number;
}

/** Only where there is a /proc. */
export function memoryOf(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: megabytes('VmRSS'), most: megabytes('VmHWM') };
}

export function describeMemory(pid: number): string {
  const { now, most } = memoryOf(pid);
  return `${now} MiB now, ${most} MiB at most`;
}

export async function databaseSize(db: pg.Client): Promise<string> {
  const { rows } = await db.query<{ size: string }>(
    'SELECT pg_size_pretty(pg_database_size(current_database())) AS size',
  );
  return rows[0]!.size;
}

/** Prints a heading and rows of text in columns of equal width. */
export function printTable(heading: string, rows: string[][]): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  process.stdout.write(`\n${heading}\n${lines.join('\n')}\n`);
}
