import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { listenFailure } from './listen-failure.js';

const choosePort = (other: number) => `PORT=${other}`;
const told = (code: string, port = 3000) =>
  listenFailure(Object.assign(new Error('no luck'), { code }), { port, choosePort }).message;

it('names the setting to change, by the reason', () => {
  expect(told('EADDRINUSE')).toMatch(/^Port 3000 is already used .*: PORT=3001$/);
  expect(told('EADDRINUSE', 65_535)).toContain('PORT=65534');
  expect(told('EACCES', 80)).toBe('This user may not listen on port 80. Choose one above 1023: PORT=3000');
  expect(told('EOTHER')).toBe('Port 3000 cannot be used: no luck');
});

it('explains that HOST is no address of this machine', async () => {
  const host = '192.0.2.1'; // for documentation: nobody has it
  const [error] = (await once(createServer().listen({ host, port: 0 }), 'error')) as [Error];
  expect(listenFailure(error, { host, port: 0, choosePort }).message).toMatch(/has no address 192\.0\.2\.1\. Set HOST/);
});
