/** Classes of database failures that callers treat differently. */

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** pg and its pool report these without a code; the last but two is how TypeORM says that a connection died. */
const CONNECTION_MESSAGES =
  /Connection terminated|connection timeout|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query runner already released|Cannot use a pool after calling end|Driver not Connected/i;

const UNIQUE_VIOLATION = '23505';
const INTERNAL_ERROR = 'XX000';
/** The name ends with the number of a shard where the database is spread over several nodes. */
const VIOLATED = /unique constraint "(\w+?)(?:_\d{6,})?"/;

/** The SQLSTATE of a failed statement, or the system error code of a failed connection. */
export function failureCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code, driverError, message } = error as { code?: unknown; driverError?: unknown; message?: unknown };
  // Citus passes on what a node says of a COPY, but not its code.
  if (code === INTERNAL_ERROR && VIOLATED.test(String(message))) return UNIQUE_VIOLATION;
  if (typeof code === 'string') return code;
  return driverError ? failureCode(driverError) : null;
}

/** True when PostgreSQL cannot be reached, is starting, or is going down: the same call may work later. */
export function isConnectionFailure(error: unknown): boolean {
  const code = failureCode(error);
  // 08: connection exceptions, 57P0x: shutdown, crash, starting up, 53300: too many connections.
  if (code !== null && (CONNECTION_CODES.has(code) || /^08|^57P0|^53300$/.test(code))) return true;
  return error instanceof Error && CONNECTION_MESSAGES.test(error.message);
}

/** True for a deadlock or a serialisation failure: the whole transaction may be run again. */
export function isRetryable(error: unknown): boolean {
  return ['40P01', '40001'].includes(failureCode(error) ?? '');
}

/** True when a statement took longer than it may. */
export function isTimeout(error: unknown): boolean {
  return failureCode(error) === '57014';
}

/** True when the data itself was refused: SQLSTATE classes 22 and 23, and 54 for what is too large, for an index say. */
export function isDataFailure(error: unknown): boolean {
  return /^(?:2[23]|54)/.test(failureCode(error) ?? '');
}

/** True when a statement has ended its transaction with `refuse_transaction`, a function of the database. */
export function isRefusal(error: unknown): boolean {
  return failureCode(error) === 'TS001';
}

/** What PostgreSQL says of a failed statement besides its code. */
function detailsOf(error: unknown): { table?: string; column?: string; constraint?: string; message?: string } {
  const { driverError = error } = error as { driverError?: unknown };
  return driverError as object;
}

/** The name of the violated unique constraint, or null for any other failure. */
export function uniqueViolation(error: unknown): string | null {
  if (failureCode(error) !== UNIQUE_VIOLATION) return null;
  const { constraint, message = '' } = detailsOf(error);
  return constraint ?? VIOLATED.exec(message)?.[1] ?? null;
}
