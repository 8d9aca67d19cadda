// `npm run build`: compiles the sources into dist, for processes that are started without the launcher.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './lib/failure.mjs';
import { buildAlone } from './lib/prepare.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

await buildAlone(root).catch(exitWith);
