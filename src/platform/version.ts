import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { readJson } from './read-json.js';

const packageFile = createRequire(import.meta.url).resolve('tracesheet/package.json');

/** The version in package.json, the same for the sources and the build. */
export const VERSION = (readJson(readFileSync(packageFile, 'utf8')) as { version: string }).version;
