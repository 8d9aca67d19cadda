// `npm run load -- …`: measures what so many processes, or servers that run already, do in a second.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './lib/failure.mjs';
import { prepareBeside } from './lib/prepare.mjs';
import { runInForeground } from './lib/run.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

try {
  await prepareBeside(root, { redis: true });
  const command = ['dist/src/embedded/load/load.js', ...process.argv.slice(2)];
  process.exitCode = await runInForeground(process.execPath, command, { cwd: root, forwarded: ['SIGTERM', 'SIGHUP'] });
} catch (error) {
  exitWith(error);
}
