import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded/ports.js';
import { type RedisService, startRedis } from '../../src/embedded/redis.js';
import { testFolder } from './services.js';
import { until } from './until.js';

const PASSWORD = 'test';
const SLOTS = 16_384;
const MASTER = 'main';

/** Several Redis servers that belong together. */
export interface RedisGroup {
  /** URL for REDIS_URL. */
  url: string;
  nodes: RedisService[];
  close(): Promise<void>;
}

/** A Redis Cluster of three masters. */
export async function startRedisCluster(): Promise<RedisGroup> {
  const folder = testFolder();
  const nodes = await startNodes(folder, 3, async () => [
    'cluster-enabled yes',
    `cluster-port ${await freePort()}`,
    'cluster-node-timeout 1000',
  ]);
  const clients = nodes.map(({ url }) => new Redis(url));
  try {
    await join(clients, nodes);
  } finally {
    for (const client of clients) client.disconnect();
  }
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return group(`redis+cluster://:${PASSWORD}@${hosts}`, folder, nodes);
}

/** Gives every node a third of the slots and makes them known to each other. */
async function join(clients: Redis[], nodes: RedisService[]): Promise<void> {
  const [first] = clients;
  const share = Math.ceil(SLOTS / clients.length);
  for (const [index, client] of clients.entries()) {
    const last = Math.min(SLOTS, (index + 1) * share) - 1;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', index * share, last);
    if (client === first) continue;
    const bus = await client.config('GET', 'cluster-port');
    await first!.call('CLUSTER', 'MEET', '127.0.0.1', nodes[index]!.port, (bus as string[])[1]!);
  }
  const isWhole = async (client: Redis) => String(await client.cluster('INFO')).includes('cluster_state:ok');
  await until(async () => (await Promise.all(clients.map(isWhole))).every(Boolean));
}

/** A master, its replica, and a Sentinel that makes the replica the master when that is gone for half a second. */
export async function startRedisSentinel(): Promise<RedisGroup> {
  const folder = testFolder();
  const [master] = await startNodes(folder, 1, () => Promise.resolve([`masterauth ${PASSWORD}`]));
  const [replica] = await startNodes(path.join(folder, 'replica'), 1, () =>
    Promise.resolve([`masterauth ${PASSWORD}`, `replicaof 127.0.0.1 ${master!.port}`]),
  );
  const client = new Redis(master!.url);
  await until(async () => (await client.info('replication')).includes('state=online'));
  client.disconnect();
  const port = await freePort();
  const stopSentinel = await startSentinel(folder, port, master!.port);
  const url = `redis+sentinel://:${PASSWORD}@127.0.0.1:${port}/${MASTER}`;
  const whole = group(url, folder, [master!, replica!]);
  return { ...whole, close: () => stopSentinel().then(() => whole.close()) };
}

/** A Sentinel writes its state into its configuration, which must therefore be a file. */
async function startSentinel(folder: string, port: number, masterPort: number): Promise<() => Promise<void>> {
  const file = path.join(folder, 'sentinel.conf');
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${folder}`,
    `sentinel monitor ${MASTER} 127.0.0.1 ${masterPort} 1`,
    `sentinel auth-pass ${MASTER} ${PASSWORD}`,
    `sentinel down-after-milliseconds ${MASTER} 500`,
    `sentinel failover-timeout ${MASTER} 5000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  const client = new Redis(port, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  await until(async () => String(await client.call('SENTINEL', 'MASTER', MASTER)).includes('num-slaves,1'));
  client.disconnect();
  return async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
}

function startNodes(folder: string, count: number, settings: () => Promise<string[]>): Promise<RedisService[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const dataDir = path.join(folder, `node-${index}`);
      mkdirSync(dataDir, { recursive: true });
      return startRedis({ dataDir, password: PASSWORD, durable: false, settings: await settings() });
    }),
  );
}

function group(url: string, folder: string, nodes: RedisService[]): RedisGroup {
  const close = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, nodes, close };
}
