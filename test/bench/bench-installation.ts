import { chmodSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { Installation } from '../support/server-processes.js';

/** Factor for the rows of a benchmark that loads a database. */
export const SCALE = Number(process.env.BENCH_SCALE ?? 1);

/**
 * The built product on a real disk, with its default settings: the time of commits is part of the results.
 * BENCH_NODE_OPTIONS are given to its processes, for example `--cpu-prof --cpu-prof-dir=/tmp/profiles`.
 */
export async function startBenchInstallation(env: Record<string, string> = {}): Promise<Installation> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-bench-'));
  chmodSync(folder, 0o755);
  return Installation.create({ folder, env });
}

/** Size of the write-ahead log that the server keeps; see `max_wal_size`. */
const LOG_MEGABYTES = 4096;

/**
 * A database that has run for some hours writes its log into files of before. One that is new has to make each of them,
 * full of zeros, while a commit waits.
 */
export async function recycleLogFiles(db: pg.Client): Promise<void> {
  const write = `SELECT pg_logical_emit_message(false, 'bench', repeat('x', 16000000)) FROM generate_series(1, $1::int)`;
  await db.query(write, [LOG_MEGABYTES / 16]);
  await db.query('CHECKPOINT');
}

export const benchNodeOptions = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);
