import { TURN_MS } from './limits.js';

/** Rows of a call until its turn is over. The first row always belongs to it. */
export function* rowsOfTurn<R>(rows: R[]): Generator<R> {
  const end = Date.now() + TURN_MS;
  for (const row of rows) {
    yield row;
    if (Date.now() > end) return;
  }
}
