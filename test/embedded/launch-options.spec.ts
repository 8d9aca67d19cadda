import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { describeNewKey } from '../../src/embedded/greeting.js';
import { readLaunchOptions } from '../../src/embedded/launch-options.js';
import { assertPortAvailable, freePort } from '../../src/embedded/ports.js';

describe('the launcher settings', () => {
  it('have defaults, also for variables that are set to nothing', () => {
    const options = readLaunchOptions({ PORT: '', DATABASE_URL: '', DATA_DIR: '' });
    expect(options).toMatchObject({ port: 3000, databaseUrl: undefined, demo: true });
    expect(options.dataDir).toMatch(/\/\.data$/);
  });

  it.each(['0', '70000', 'http', '3000.5'])('refuse the port %s', (PORT) => {
    expect(() => readLaunchOptions({ PORT })).toThrow(`not "${PORT}"`);
  });

  it('leave the example data out on request', () => {
    for (const DEMO of ['off', 'False', '0', 'NO']) expect(readLaunchOptions({ DEMO }).demo).toBe(false);
    expect(readLaunchOptions({ CONSOLE: 'false' }).hasConsole).toBe(false);
  });
});

it('processes are killed later than they end by themselves', () => {
  expect(readLaunchOptions({}).appStopLimitMs).toBe(20_000);
  expect(readLaunchOptions({ SHUTDOWN_TIMEOUT_MS: '600000' }).appStopLimitMs).toBe(605_000);
});

describe('ports', () => {
  it('cause an error when that of the product is taken, and are replaced for a service', async () => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    await expect(assertPortAvailable(port)).rejects.toThrow(`Port ${port} is already used`);
    expect(await freePort(port)).not.toBe(port);
    server.close();
    await once(server, 'close');
    await assertPortAvailable(port);
    expect(await freePort(port)).toBe(port);
  });

  it('are none that an outgoing connection may get', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    expect(Math.max(...ports)).toBeLessThan(32_768);
  });
});

describe('the first API key', () => {
  it('is shown with a line to paste', () => {
    expect(describeNewKey('pl_abc', { port: 3001 })).toContain(
      "curl -H 'X-API-KEY: pl_abc' 'http://localhost:3001/api/public/v2/tables'",
    );
  });

  it('is not repeated when the environment chose it', () => {
    expect(describeNewKey('pl_abc', { port: 3001, presetKey: 'pl_abc' })).not.toContain('pl_abc');
  });
});
