import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { NestLogger } from './logger.js';

it.each([
  [
    { message: 'slow', ms: 7 },
    { msg: 'slow', ms: 7, context: 'Test' },
  ],
  ['plain', { msg: 'plain', context: 'Test' }],
  [new Error('broken'), { msg: 'Error: broken', context: 'Test' }],
  [undefined, { msg: 'undefined', context: 'Test' }],
])('a warning of %j is a line with its fields', (message, line) => {
  const lines: string[] = [];
  const output = new Writable({ write: (chunk, _, done) => (lines.push(String(chunk)), done()) });
  new NestLogger(pino({ base: null, timestamp: false }, output)).warn(message, 'Test');
  expect(lines.map((text) => JSON.parse(text) as object)).toEqual([{ level: 40, ...line }]);
});
