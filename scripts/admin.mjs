// `npm run admin -- …`: manages workspaces and keys of an installation, from the command line of its machine.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './lib/failure.mjs';
import { prepareBeside } from './lib/prepare.mjs';
import { runInForeground } from './lib/run.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

try {
  await prepareBeside(root, {});
  const command = ['dist/src/embedded/admin.js', ...process.argv.slice(2)];
  process.exitCode = await runInForeground(process.execPath, command, { cwd: root, forwarded: ['SIGTERM', 'SIGHUP'] });
} catch (error) {
  exitWith(error);
}
