import { expect, it } from 'vitest';
import type { JsonValue } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { readResult } from './tool-result.js';

const LONG = '{"id": 9007199254740993, "of": [12345678901234567890, 1.5]}';
const said = (...texts: string[]) => texts.map((text) => ({ type: 'text' as const, text }));
/** Parses like the protocol client, which rounds long integers. */
const rounded = (json: string) => JSON.parse(json) as Record<string, unknown>;

it.each<[string, Parameters<typeof readResult>[0], JsonValue]>([
  ['from the text that repeats it', { structuredContent: rounded(LONG), content: said(LONG) }, readJson(LONG)],
  [
    'from the text of its result',
    { structuredContent: { result: rounded(LONG) }, content: said(LONG) },
    { result: readJson(LONG) },
  ],
  [
    'of a single number',
    { structuredContent: { result: 9007199254740992 }, content: said('9007199254740993') },
    { result: 9007199254740993n },
  ],
  [
    'from one of several texts',
    { structuredContent: rounded(LONG), content: said('Found 9007199254740993.', LONG) },
    readJson(LONG),
  ],
  ['rounded when no text repeats it', { structuredContent: rounded(LONG), content: [] }, rounded(LONG) as JsonValue],
  [
    'rounded when the text says something else',
    { structuredContent: { id: 9007199254740992 }, content: said('{"id": 9007199254740999}') },
    { id: 9007199254740992 },
  ],
])('has the integers of structured content %s', (_, result, expected) => {
  expect(readResult(result)).toEqual(expected);
});

it.each<[string, Parameters<typeof readResult>[0], string]>([
  ['its text', { isError: true, content: said('No database.'), structuredContent: { code: 1 } }, 'No database.'],
  [
    'its structured content',
    { isError: true, content: [], structuredContent: { code: 'LIMITED' } },
    '{"code":"LIMITED"}',
  ],
  ['nothing', { isError: true, content: [] }, 'The tool failed and gave no reason.'],
])('explains the failure of a tool by %s', (_, result, reason) => {
  expect(() => readResult(result)).toThrow(reason);
});
