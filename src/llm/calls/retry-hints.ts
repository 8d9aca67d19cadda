import { isObject, type JsonValue } from '../../platform/json.js';

/** Members of errors with the time of a retry, and the milliseconds of a unit of their numbers. */
const DELAYS: Record<string, number> = {
  retryDelay: 1000,
  retry_delay: 1000,
  retry_after: 1000,
  retryAfter: 1000,
  retry_after_seconds: 1000,
  retry_after_ms: 1,
  estimated_time: 1000,
};

const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
type Unit = keyof typeof UNITS;

const DURATION = /(\d+(?:\.\d+)?)\s*(ms|milliseconds?|h(?:ours?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])\s*/gi;
/** Such as "Please try again in 1m12.5s" and "Please retry after 20 seconds". */
const SENTENCE = /\b(?:try again|retry)\s+(?:in|after)\s+((?:\d+(?:\.\d+)?\s*[a-z]+\s*)+)/i;

/** Accounts that need payment before any call: waiting does not help. */
const EXHAUSTED = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'exceeded_current_quota_error',
  'account_deactivated',
]);

/**
 * Milliseconds until the service may be called again, from the body of an error: by a member such as Google's
 * `retryDelay`, else by its message. Null when there is neither.
 */
export function findDelayMs(body: unknown, message: string): number | null {
  return findDelay(body as JsonValue) ?? delayIn(SENTENCE.exec(message)?.[1] ?? '');
}

/** Whether an error of a client, or the body in it, means that the account has no credit left. */
export function isExhausted(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, type, error: inner } = error as Record<string, unknown>;
  return [code, type].some((word) => EXHAUSTED.has(String(word))) || isExhausted(inner);
}

function findDelay(value: JsonValue | undefined): number | null {
  if (Array.isArray(value)) return firstOf(value, findDelay);
  if (!isObject(value)) return null;
  const own = firstOf(Object.entries(DELAYS), ([name, unitMs]) => delayOf(value[name], unitMs));
  return own ?? firstOf(Object.values(value), findDelay);
}

/** A number of units, a text such as "3.5s", or `{"seconds", "nanos"}`. */
function delayOf(value: JsonValue | undefined, unitMs: number): number | null {
  if (typeof value === 'number') return value >= 0 ? value * unitMs : null;
  if (typeof value === 'string') return /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * unitMs : delayIn(value);
  if (!isObject(value)) return null;
  const [seconds, nanos] = [Number(value.seconds ?? 0), Number(value.nanos ?? 0)];
  return seconds + nanos > 0 ? seconds * 1000 + nanos / 1e6 : null;
}

function delayIn(text: string): number | null {
  const parts = [...text.matchAll(DURATION)];
  if (parts.length === 0) return null;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unitOf(unit!)], 0);
}

function unitOf(word: string): Unit {
  const lower = word.toLowerCase();
  return lower === 'ms' || lower.startsWith('milli') ? 'ms' : (lower[0] as Unit);
}

const firstOf = <T>(items: T[], find: (item: T) => number | null): number | null =>
  items.map(find).find((found) => found !== null) ?? null;
