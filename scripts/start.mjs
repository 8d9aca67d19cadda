// `npm start`: from a fresh clone to the running product. Uses nothing but Node.js itself.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './lib/failure.mjs';
import { launch } from './lib/launch.mjs';
import { prepare } from './lib/prepare.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

try {
  process.exitCode = await launch({
    home: root,
    launcher: 'dist/src/embedded/launcher.js',
    prepare: () => prepare(root, { redis: !process.env.REDIS_URL }),
  });
} catch (error) {
  exitWith(error);
}
