import { expect, it } from 'vitest';
import { APP_ENTRIES, missingOptions } from './app-entries.js';

const ALL = APP_ENTRIES.worker.nodeOptions;

it.each<[string, string[], string[]]>([
  ['nothing is given', [], [...ALL]],
  ['all are given', [...ALL, '--inspect'], []],
  ['values are others', ALL.map((option) => option.replace(/=\d+/, '=123')), []],
  ['underscores stand for hyphens', ALL.map((option) => `--${option.slice(2).replaceAll('-', '_')}`), []],
  ['one is left out', ALL.slice(1), [ALL[0]!]],
  ['one only begins in the same way', [...ALL.slice(0, -1), '--max-semi-space'], [ALL.at(-1)!]],
])('says which options of a worker are missing where %s', (_, given, missing) => {
  expect(missingOptions('worker', given)).toEqual(missing);
});
