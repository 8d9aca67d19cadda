// Part of `npm run lint`: inside a transaction only `tx` is used.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { usesOfOtherConnections } from './lib/transactions.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => path.join('src', name));
const found = files.flatMap((file) => usesOfOtherConnections(file, readFileSync(path.join(root, file), 'utf8')));
for (const line of found) console.error(line);
process.exitCode = found.length > 0 ? 1 : 0;
