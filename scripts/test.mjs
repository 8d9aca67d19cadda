// `npm test`: prepares the checkout like `npm start` does, runs the tests, ends with one line that counts them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './lib/failure.mjs';
import { installPostgres } from './lib/install.mjs';
import { prepare } from './lib/prepare.mjs';
import { runInForeground, stopOnSignals } from './lib/run.mjs';
import { argumentsToRepeat, countResults } from './lib/test-results.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

async function runTests(args) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-results-'));
  const file = path.join(folder, 'results.json');
  try {
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', `--outputFile.json=${file}`, ...args];
    // SIGTERM instead of SIGINT: a second SIGINT makes vitest leave its services behind.
    const exitCode = await runInForeground(process.execPath, vitest, { cwd: root, forwarded: ['SIGTERM', 'SIGHUP'] });
    tellResults(readResults(file));
    return exitCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tellResults(report) {
  const repeated = argumentsToRepeat(report, root);
  const command = process.env.TEST_DEPTH === 'deep' ? 'npm run test:deep' : 'npm test';
  if (repeated) console.log(`\nRepeats what failed:\n  ${command} -- ${repeated.join(' ')}\n`);
  const { passed, failed, skipped } = countResults(report);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
}

/** Null when the run ended before there was a result. */
function readResults(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

try {
  const listenNoMore = stopOnSignals();
  await prepare(root, { redis: true, tools: true }); // the tests bring their own, whatever REDIS_URL says
  if (process.env.POSTGRES_VERSION) await installPostgres(root, process.env.POSTGRES_VERSION);
  listenNoMore();
  process.exitCode = await runTests(process.argv.slice(2));
} catch (error) {
  exitWith(error);
}
