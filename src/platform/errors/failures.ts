/** Classes of database failures that callers treat differently. */

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** pg and its pool report these without a code; the last but two is TypeORM's message for a broken connection. */
const CONNECTION_MESSAGES =
  /Connection terminated|connection timeout|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query runner already released|Cannot use a pool after calling end|Driver not Connected/i;

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';
const INTERNAL_ERROR = 'XX000';
/** The name ends with the number of a shard where the database is spread over several nodes. */
const VIOLATED = /unique constraint "(\w+?)(?:_\d{6,})?"/;

/** The SQLSTATE of a failed statement, or the system error code of a failed connection. */
export function failureCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code, driverError, message } = error as { code?: unknown; driverError?: unknown; message?: unknown };
  // Citus passes on a node's message about a COPY, but not its code.
  if (code === INTERNAL_ERROR && VIOLATED.test(String(message))) return UNIQUE_VIOLATION;
  if (typeof code === 'string') return code;
  return driverError ? failureCode(driverError) : null;
}

/** True when PostgreSQL cannot be reached, is starting, or is going down: the same call may work later. */
export function isConnectionFailure(error: unknown): boolean {
  const code = failureCode(error);
  // 08: connection exceptions, 57P0x: shutdown, crash, starting up, 53300: too many connections.
  if (code !== null && (CONNECTION_CODES.has(code) || /^08|^57P0|^53300$/.test(code))) return true;
  // A server that panics restarts, for example because it cannot write its log.
  if (severityOf(error) === 'PANIC') return true;
  return error instanceof Error && CONNECTION_MESSAGES.test(error.message);
}

/** Classes of SQLSTATE and system error codes of failed writes. */
const STORAGE_CODES = /^(?:53(?!300)|58030$|25006$|ENOSPC$|EDQUOT$|EIO$)/;
/** The first word of Redis's message: it cannot persist, is out of memory, or is a replica. */
const REDIS_STORAGE = /^(?:MISCONF|OOM|READONLY) /;

/**
 * True when a disk is full or fails, memory has run out, or the database takes no writes: for PostgreSQL (class 53, 58030, 25006),
 * Redis or this machine. The request is valid and may work later.
 */
export function isStorageFailure(error: unknown): boolean {
  const code = failureCode(error);
  if (code !== null && STORAGE_CODES.test(code)) return true;
  return error instanceof Error && error.name === 'ReplyError' && REDIS_STORAGE.test(error.message);
}

/** True when rows of another table refer to a row that was to be deleted, or a row refers to one that does not exist. */
export const isForeignKeyViolation = (error: unknown): boolean => failureCode(error) === FOREIGN_KEY_VIOLATION;

/** True when the same call may work later: the database is unavailable or takes no writes. */
export function isPassingFailure(error: unknown): boolean {
  return isConnectionFailure(error) || isStorageFailure(error);
}

/** The same for code that also calls other servers, whose broken connections look like those of the database. */
export function isPassingDatabaseFailure(error: unknown): boolean {
  if (!isPassingFailure(error)) return false;
  // Codes of PostgreSQL begin with a digit, system error codes with a letter.
  return isStorageFailure(error) || /^\d/.test(failureCode(error) ?? '') || 'driverError' in (error as object);
}

/** True for a deadlock or a serialisation failure: the whole transaction may be run again. */
export function isRetryable(error: unknown): boolean {
  return ['40P01', '40001'].includes(failureCode(error) ?? '');
}

/** True when a statement exceeded its timeout. */
export function isTimeout(error: unknown): boolean {
  return failureCode(error) === '57014';
}

/** True when the data was refused: SQLSTATE classes 22 and 23, and 54 for values that are too large, such as for an index. */
export function isDataFailure(error: unknown): boolean {
  return /^(?:2[23]|54)/.test(failureCode(error) ?? '');
}

/** True when a statement has ended its transaction with `refuse_transaction`, a function of the database. */
export function isRefusal(error: unknown): boolean {
  return failureCode(error) === 'TS001';
}

function severityOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null ? detailsOf(error).severity : undefined;
}

/** Further details of PostgreSQL about a failed statement. */
function detailsOf(error: unknown): {
  table?: string;
  column?: string;
  constraint?: string;
  message?: string;
  severity?: string;
} {
  const { driverError = error } = error as { driverError?: unknown };
  return driverError as object;
}

/** The name of the violated unique constraint, or null for any other failure. */
export function uniqueViolation(error: unknown): string | null {
  if (failureCode(error) !== UNIQUE_VIOLATION) return null;
  const { constraint, message = '' } = detailsOf(error);
  return constraint ?? VIOLATED.exec(message)?.[1] ?? null;
}
