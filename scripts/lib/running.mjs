import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Failure } from './failure.mjs';

/**
 * Refuses early when the product already runs on the data folder. The launcher checks this too, and reliably; but
 * by then an installation or a build would have replaced the files under the running product.
 */
export function assertNotRunning(root) {
  const folder = path.resolve(root, process.env.DATA_DIR || '.data');
  const pid = launcherOf(folder);
  if (!pid) return;
  throw new Failure(
    `Tracesheet already runs on ${folder} (process ${pid}). Stop it first (kill ${pid}), or give this one another folder: DATA_DIR=…`,
  );
}

function launcherOf(folder) {
  try {
    const { pid } = JSON.parse(readFileSync(path.join(folder, 'launcher.lock'), 'utf8'));
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.some((word) => word.endsWith('embedded/launcher.js')) ? pid : null;
  } catch {
    return null;
  }
}
