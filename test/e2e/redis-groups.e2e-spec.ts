import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import { deepIt } from '../support/depth.js';
import { recalculate } from '../support/external-cells.js';
import { addCount, newSheet, settled } from '../support/factories.js';
import { addressOf, channelOf, LiveSocket, tokenFor } from '../support/live.js';
import { type RedisGroup, startRedisCluster, startRedisSentinel } from '../support/redis-groups.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const health = async ({ client }: TestApp) => (await client.get('/health/ready')) as { status: string; redis: string };
const untilUp = (app: TestApp) => until(async () => (await health(app)).redis === 'up');

/** Computes a column of three cells. A worker must be notified, because no test here sweeps. */
async function compute({ client }: TestApp): Promise<void> {
  const sheet = await newSheet(client, ['a', 'bb', 'ccc']);
  await addCount(client, sheet, 'Length');
  await settled(client, sheet);
}

describe('a Redis Cluster', () => {
  let redis: RedisGroup;
  let app: TestApp;
  /** A second process, which only serves requests. */
  let other: NestFastifyApplication;
  beforeAll(async () => {
    redis = await startRedisCluster();
    app = await TestApp.start({ env: { REDIS_URL: redis.url, SEARCHES_PER_MINUTE: '1' } });
    other = await createApp({ config: app.config, works: false });
    await untilUp(app);
  });
  afterAll(async () => {
    await other?.close();
    await app?.stop();
    await redis?.close();
  });

  it('has queues that wake workers', () => compute(app));

  it('counts the requests of a key', async () => {
    const search = async () => (await app.client.request('POST', '/api/public/v2/requests/search', {})).status;
    expect([await search(), await search()]).toEqual([200, 429]);
  });

  it('carries live updates between processes', async () => {
    const sheet = await newSheet(app.client, ['a']);
    await addCount(app.client, sheet, 'Length');
    await settled(app.client, sheet);
    const channel = channelOf(sheet);
    const live = await LiveSocket.connect(await addressOf(other), (await tokenFor(app.client, channel)).token);
    await live.ask({ subscribe: { channel } });
    const id = await recalculate(app.client, sheet, { statuses: [] });
    expect(await live.update(id, 'completed')).toMatchObject({ completed: 1, total: 1 });
    live.close();
  });

  it('is down for the queues when its nodes do not answer, while requests are served, and goes on when they do', async () => {
    const others = redis.nodes.map(({ pid }) => pid);
    for (const pid of others) process.kill(pid, 'SIGSTOP');
    try {
      await until(async () => (await health(app)).redis === 'down');
      expect(await health(app)).toMatchObject({ status: 'up', redis: 'down' });
      expect(await newSheet(app.client, ['still works'])).toBeTruthy();
    } finally {
      for (const pid of others) process.kill(pid, 'SIGCONT');
    }
    await untilUp(app);
    await compute(app);
  });
});

describe('a Redis with Sentinels', () => {
  deepIt('is found, and goes on with its replica when it is gone', async () => {
    const redis = await startRedisSentinel();
    const app = await TestApp.start({ env: { REDIS_URL: redis.url } });
    try {
      await untilUp(app);
      await compute(app);
      await redis.nodes[0]!.stop();
      await until(async () => (await health(app)).redis === 'down');
      await untilUp(app);
      await compute(app);
    } finally {
      await app.stop();
      await redis.close();
    }
  });
});
