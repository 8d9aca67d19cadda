import { setTimeout } from 'node:timers/promises';
import { TransientFailure } from '../column-type/column-type.js';

/** How often one cell is tried. */
const TRIES = 4;
/** Nobody waits longer than this because a service says so. */
const LONGEST_WAIT_MS = 60_000;

const PASSING_STATUSES = new Set([408, 425, 429]);
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** What errors of HTTP clients carry. */
interface ServiceError {
  status?: unknown;
  statusCode?: unknown;
  code?: unknown;
  cause?: unknown;
  headers?: unknown;
}

/**
 * Calls a service again while its failures may pass: a `TransientFailure`, an answer 408, 425, 429 or 5xx, a connection
 * that broke. Waits as long as the service says, otherwise twice as long every time. Rejects with the last failure, or with
 * the reason of the signal.
 */
export async function withRetries<T>(
  call: (attempt: number) => Promise<T>,
  { backoffMs, signal }: { backoffMs: number; signal: AbortSignal },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      signal.throwIfAborted();
      if (attempt === TRIES || !mayPass(error)) throw error;
      const waitMs = retryAfterMs(error) ?? backoff(backoffMs, attempt);
      if (waitMs > LONGEST_WAIT_MS) throw error;
      await setTimeout(waitMs, undefined, { signal });
    }
  }
}

/** Half of it is left to chance, so that cells that failed together do not all come again together. */
function backoff(firstMs: number, attempt: number): number {
  return firstMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
}

/** Whether trying again may help. */
export function mayPass(error: unknown): boolean {
  if (error instanceof TransientFailure) return true;
  if (typeof error !== 'object' || error === null) return false;
  const { status, statusCode, code, cause } = error as ServiceError;
  const answered = typeof status === 'number' ? status : statusCode;
  if (typeof answered === 'number') return answered >= 500 || PASSING_STATUSES.has(answered);
  return (typeof code === 'string' && CONNECTION_CODES.has(code)) || mayPass(cause);
}

/** How long the service asks to wait, in milliseconds; null when it does not say. */
export function retryAfterMs(error: unknown, now = Date.now()): number | null {
  if (error instanceof TransientFailure) return error.retryAfterMs;
  const { headers } = error as ServiceError;
  const inMs = numberOf(headerOf(headers, 'retry-after-ms'));
  if (inMs !== null) return inMs;
  const text = headerOf(headers, 'retry-after');
  const seconds = numberOf(text);
  if (seconds !== null) return seconds * 1000;
  const until = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(until) ? null : Math.max(0, until - now);
}

function headerOf(headers: unknown, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  if (typeof headers !== 'object' || headers === null) return null;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] as unknown;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : null;
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}
