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

/** Fields of HTTP clients' errors. */
interface ServiceError {
  status?: unknown;
  statusCode?: unknown;
  code?: unknown;
  cause?: unknown;
  headers?: unknown;
}

/**
 * Whether a retry may help: the service answered 408, 425, 429 or 5xx, or the connection broke. The header `x-should-retry` takes
 * precedence.
 */
export function mayPass(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { status, statusCode, code, cause, headers } = error as ServiceError;
  const said = headerOf(headers, 'x-should-retry');
  if (said === 'true' || said === 'false') return said === 'true';
  const answered = typeof status === 'number' ? status : statusCode;
  if (typeof answered === 'number') return answered >= 500 || PASSING_STATUSES.has(answered);
  return (typeof code === 'string' && CONNECTION_CODES.has(code)) || mayPass(cause);
}

/** The wait that the service asks for, in milliseconds; null without one. */
export function findRetryAfterMs(error: unknown, now = Date.now()): number | null {
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
  if (typeof headers !== 'object' || headers === null) return null;
  // HTTP clients have `Headers` classes of their own.
  if (typeof (headers as Headers).get === 'function') return (headers as Headers).get(name) ?? null;
  const found: unknown = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' || typeof found === 'number' ? String(found) : null;
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}
