import { CellFailure, TransientFailure } from '../grid/column-type/column-type.js';
import { findRetryAfterMs, mayPass } from '../platform/outbound/passing-failures.js';

/**
 * The failure of a cell with words for the reader. `met` is what went wrong outside: an error, or an answer with `status` and
 * `headers`. It decides whether the cell is tried again, and after how long.
 */
export function outsideFailure(message: string, met: object): CellFailure {
  return mayPass(met) ? new TransientFailure(message, findRetryAfterMs(met)) : new CellFailure(message);
}
