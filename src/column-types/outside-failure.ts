import { CellFailure, TransientFailure } from '../grid/column-type/column-type.js';
import { findRetryAfterMs, mayPass } from '../platform/outbound/passing-failures.js';

/**
 * Creates the failure of a cell with a message for the reader. `met` is the cause: an error, or an answer with `status`
 * and `headers`. It decides whether the cell is retried, and after how long.
 */
export function outsideFailure(message: string, met: object): CellFailure {
  return mayPass(met) ? new TransientFailure(message, findRetryAfterMs(met)) : new CellFailure(message);
}
