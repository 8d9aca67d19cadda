import { rmSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RedisService, startRedis } from '../../src/embedded/redis.js';
import { addCount, cellsOf, newSheet, settled } from '../support/factories.js';
import { testFolder } from '../support/services.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let folder: string;
let redis: RedisService;
let operator: Redis;
let app: TestApp;
beforeAll(async () => {
  folder = testFolder();
  const settings = ['save 3600 1', 'stop-writes-on-bgsave-error yes'];
  redis = await startRedis({ dataDir: path.join(folder, 'redis'), password: 'secret', durable: false, settings });
  operator = new Redis(redis.url);
  app = await TestApp.start({ env: { REDIS_URL: redis.url, SEARCHES_PER_MINUTE: '1' } });
});
afterAll(async () => {
  await app?.stop();
  // It would not end without a last snapshot.
  await operator.config('SET', 'save', '');
  operator.disconnect();
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

const health = async () => (await app.client.get('/health/ready')) as { status: string; redis: string };

/** Redis finds no place for its snapshot, as on a full disk, and takes no writes until it has written one. */
async function breakSnapshots(): Promise<void> {
  rmSync(path.join(folder, 'redis'), { recursive: true });
  await operator.set('changed', 'yes');
  await operator.bgsave();
  await until(async () => (await operator.info('persistence')).includes('rdb_last_bgsave_status:err'));
  await expect(operator.set('changed', 'again')).rejects.toThrow('MISCONF');
}

it('a Redis that cannot write to its disk holds up computed cells alone, and they are computed when it can', async () => {
  await until(async () => (await health()).redis === 'up');
  await breakSnapshots();
  expect(await health()).toMatchObject({ status: 'up', redis: 'down' });
  const search = async () => (await app.client.request('POST', '/api/public/v2/requests/search', {})).status;
  expect([await search(), await search()]).toEqual([200, 429]);
  const sheet = await newSheet(app.client, ['a', 'bb']);
  const column = await addCount(app.client, sheet, 'Length');
  await operator.config('SET', 'stop-writes-on-bgsave-error', 'no');
  await app.sweep('computation');
  await settled(app.client, sheet);
  expect((await cellsOf(app.client, sheet, column.id)).map(({ value }) => value)).toEqual([1, 2]);
  expect((await health()).redis).toBe('up');
});
