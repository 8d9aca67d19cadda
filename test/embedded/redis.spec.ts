import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../src/embedded/processes.js';
import { type RedisOptions, type RedisService, startRedis } from '../../src/embedded/redis.js';
import { testFolder } from '../support/services.js';

const SERVERS = ['redis-server', 'valkey-server'];

let folder: string;
let options: RedisOptions;
/** Everything a test started, also what it means to leave behind. */
let started: RedisService[] = [];

beforeAll(() => {
  folder = testFolder();
  options = { dataDir: path.join(folder, 'redis'), password: 'secret' };
});

afterEach(async () => {
  await Promise.all(started.map((service) => service.stop()));
  started = [];
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(changes: Partial<RedisOptions> = {}): Promise<RedisService> {
  const service = await startRedis({ ...options, ...changes });
  started.push(service);
  return service;
}

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { maxRetriesPerRequest: 1 });
  client.on('error', () => undefined); // each call reports its own
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

const pidFile = () => path.join(options.dataDir, 'redis.pid');

describe('the embedded Redis', () => {
  it('keeps its data over an orderly stop', async () => {
    const redis = await start();
    await withClient(redis.url, (client) => client.set('kept', 'yes'));
    await redis.stop();
    expect(isAlive(redis.pid)).toBe(false);
    const again = await start();
    expect(await withClient(again.url, (client) => client.get('kept'))).toBe('yes');
  });

  it('never drops a key to make room', async () => {
    const { url } = await start();
    expect(await withClient(url, (client) => client.config('GET', 'maxmemory-policy'))).toContain('noeviction');
  });

  it('asks for the password, which is in no process list', async () => {
    const { url, pid } = await start();
    const open = url.replace(':secret@', '');
    await expect(withClient(open, (client) => client.get('kept'))).rejects.toThrow('NOAUTH');
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('secret');
  });

  it('stops a server that a killed launcher left and starts on its data', async () => {
    const orphan = await start();
    await withClient(orphan.url, (client) => client.set('kept', 'still'));
    const redis = await start();
    expect(isAlive(orphan.pid)).toBe(false);
    expect(await withClient(redis.url, (client) => client.get('kept'))).toBe('still');
  });

  it('leaves the server of another folder alone that now has the pid of an old one', async () => {
    const other = await start({ dataDir: path.join(folder, 'other'), durable: false });
    writeFileSync(pidFile(), `${other.pid}\n`);
    const redis = await start();
    expect(isAlive(other.pid)).toBe(true);
    expect(readFileSync(pidFile(), 'utf8').trim()).toBe(String(redis.pid));
  });

  it('takes valkey-server where there is no redis-server', async () => {
    const programs = path.join(folder, 'programs');
    const { PATH = '' } = process.env;
    const folders = PATH.split(path.delimiter);
    const find = (program: string) =>
      folders.map((entry) => path.join(entry, program)).find((file) => existsSync(file))!;
    mkdirSync(programs);
    symlinkSync(find(SERVERS.find(find)!), path.join(programs, 'valkey-server'));
    for (const program of ['test', 'chown']) symlinkSync(find(program), path.join(programs, program));
    try {
      process.env.PATH = programs;
      const orphan = await start();
      const redis = await start();
      expect(isAlive(orphan.pid)).toBe(false);
      expect(await withClient(redis.url, (client) => client.ping())).toBe('PONG');
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('moves to another port when its own is taken', async () => {
    const first = await start({ dataDir: path.join(folder, 'other'), durable: false });
    const second = await start({ port: first.port });
    expect(second.port).not.toBe(first.port);
    await first.stop();
    expect(existsSync(path.join(folder, 'other', 'redis.pid'))).toBe(false);
  });
});
