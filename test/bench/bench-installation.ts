import { chmodSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Installation } from '../support/server-processes.js';

/**
 * The built product on a real disk, with the settings it ships with: what a commit costs is part of what is measured.
 * BENCH_NODE_OPTIONS are given to its processes, for example `--cpu-prof --cpu-prof-dir=/tmp/profiles`.
 */
export async function startBenchInstallation(env: Record<string, string> = {}): Promise<Installation> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-bench-'));
  chmodSync(folder, 0o755);
  return Installation.create({ folder, env });
}

export const benchNodeOptions = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);
