/** PostgreSQL stores neither U+0000 nor lone surrogates; both become U+FFFD, so that nothing else is lost. */

/** Matches, in raw JSON text, the only escapes that can produce text PostgreSQL refuses. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

export function isSafe(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export function safeText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** False means that no string parsed from this JSON text can need sanitising: raw JSON has no literal NUL. */
export function mayHoldUnsafeText(json: string): boolean {
  return SUSPICIOUS_ESCAPE.test(json);
}

/** Whether any string or key of a JSON value cannot be stored unchanged. Recurses as deep as the value. */
export function holdsUnsafeText(value: unknown): boolean {
  if (typeof value === 'string') return !isSafe(value);
  if (Array.isArray(value)) return value.some(holdsUnsafeText);
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([key, item]) => !isSafe(key) || holdsUnsafeText(item));
}

/** A copy of a JSON value with every string and key made storable. Recurses as deep as the value. */
export function safeJson<T>(value: T): T {
  if (typeof value === 'string') return safeText(value) as T;
  if (Array.isArray(value)) return value.map(safeJson) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [safeText(key), safeJson(item)])) as T;
}
