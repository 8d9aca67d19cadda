import { readJson } from '../../platform/read-json.js';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PACKAGE } from './price-file.js';

it('names the version of the package that is installed', () => {
  const entry = createRequire(import.meta.url).resolve('@pydantic/genai-prices');
  const { name, version } = readJson(readFileSync(new URL('../package.json', `file://${entry}`), 'utf8')) as {
    name: string;
    version: string;
  };
  // A new version needs its date of release, too.
  expect(PACKAGE.source).toBe(`${name} ${version}`);
});
