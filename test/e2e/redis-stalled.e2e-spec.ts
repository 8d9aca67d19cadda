import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { type Proxy, startProxy } from '../support/proxy.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let proxy: Proxy;
let app: TestApp;
beforeAll(async () => {
  proxy = await startProxy();
  const env = { REDIS_URL: proxy.through(inject('redisUrl')), SEARCHES_PER_MINUTE: '1' };
  app = await TestApp.start({ works: false, env });
});
afterEach(() => proxy.resume());
afterAll(async () => {
  await app.stop();
  await proxy.close();
});

it('a Redis that keeps its connections and says nothing holds up no request, and limits are kept without it', async () => {
  await until(async () => ((await app.client.get('/health/ready')) as { redis: string }).redis === 'up');
  const search = async () => (await app.client.request('POST', '/api/public/v2/requests/search', {})).status;
  proxy.stall();
  expect([await search(), await search()]).toEqual([200, 429]);
});
