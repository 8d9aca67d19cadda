/** Time in which the same request counts as a retry. Later, it is a new request. */
const RETRY_MS = 300_000;

/** Idempotency keys of requests whose answers were lost, by content. */
const lost = new Map<string, { key: string; until: number }>();

/**
 * Sends a request with an idempotency key. When its answer is lost, the same request has the same key again, so that
 * the server answers the retry instead of doing the work twice.
 */
export async function withRetryKey<T>(
  content: string,
  send: (key: string) => Promise<T>,
  isAnswer: (error: unknown) => boolean,
): Promise<T> {
  for (const [each, { until }] of lost) if (until < Date.now()) lost.delete(each);
  const key = lost.get(content)?.key ?? newKey();
  lost.delete(content);
  try {
    return await send(key);
  } catch (error) {
    if (!isAnswer(error)) lost.set(content, { key, until: Date.now() + RETRY_MS });
    throw error;
  }
}

/** A random key. Pages on plain HTTP have no `crypto.randomUUID`. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((each) => each.toString(36)).join('-');
