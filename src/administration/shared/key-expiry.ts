import { ValidationProblem } from '../../platform/errors/problem.js';
import { parseTime } from '../../platform/time.js';

/** The last time that ISO 8601 can express with a four-digit year. */
const LATEST = Date.UTC(9999, 11, 31);

/** The expiry of a key. Throws a 422 for a time in the past. */
export function readExpiry(given: string | null | undefined): Date | null {
  if (given === null || given === undefined) return null;
  const moment = parseTime(given);
  if (moment === null || moment > LATEST) throw refuse('Input should be a valid datetime');
  if (moment <= Date.now()) throw refuse('Input should be a moment in the future');
  return new Date(moment);
}

const refuse = (msg: string) => new ValidationProblem([{ loc: ['body', 'expires_at'], msg, type: 'value_error' }]);
