import 'reflect-metadata';
import { text as readAll } from 'node:stream/consumers';
import { describeFailure, runAdminCommand } from './admin-command.js';
import { Interrupted } from './interruptible.js';

/** Reads a secret from standard input: arguments would appear in the shell's history and in process lists. */
async function readSecret(): Promise<string> {
  if (process.stdin.isTTY) console.error('Type the secret, then Enter and Ctrl-D:');
  return (await readAll(process.stdin)).trim();
}

try {
  await runAdminCommand(process.argv.slice(2), { env: process.env, say: (line) => console.log(line), readSecret });
} catch (error) {
  console.error(describeFailure(error));
  // The command itself may still read or write files.
  if (error instanceof Interrupted) process.exit(error.exitCode);
  process.exitCode = 1;
}
