import { LaunchError } from './launch-error.js';

const CONNECT_TIMEOUT_MS = 15_000;

/** @throws LaunchError when the Redis that the environment names does not answer */
export async function assertRedisAnswers(url: string): Promise<void> {
  const { connectRedis } = await import('../platform/redis/redis-client.js');
  const client = connectRedis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let problem: Error | null = null;
  client.on('error', (error: Error) => (problem ??= error)); // tells more than what the call rejects with
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    const { message } = problem ?? (error as Error);
    throw new LaunchError(`The Redis in REDIS_URL does not answer: ${message}. Check its address, user and password.`);
  } finally {
    client.disconnect();
  }
}
