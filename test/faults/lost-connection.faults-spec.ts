import net from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/data-source.js';
import { isConnectionFailure } from '../../src/platform/errors/failures.js';
import { loadConfig } from '../../src/composition.js';

/** Messages "ready" and "terminating" in one packet: the answer of a killed PostgreSQL to a new client. */
const WELCOME_AND_FAREWELL = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('Z', Buffer.from('I')),
  message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0')),
]);

let server: net.Server;
let url: string;

beforeAll(async () => {
  server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(WELCOME_AND_FAREWELL));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `postgres://tracesheet:test@127.0.0.1:${(server.address() as net.AddressInfo).port}/tracesheet`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

// Without somebody who listens to it, the farewell ends the whole process: vitest reports that as an unhandled error.
it('survives a database that stops just as a connection is ready', async () => {
  const config = loadConfig({ DATABASE_URL: url, REDIS_URL: 'redis://127.0.0.1:1' });
  const db = new DataSource(dataSourceOptions(url, config));
  const failure: unknown = await db.initialize().then(
    () => null,
    (error: unknown) => error,
  );
  expect(isConnectionFailure(failure), String(failure)).toBe(true);
});

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}
