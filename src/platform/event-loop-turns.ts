import { setImmediate } from 'node:timers/promises';

/**
 * Spreads work that keeps the processor busy over turns of the event loop, a piece each. Several pieces that become
 * ready in the same turn would run one after the other, and everything else, answers of the database for instance,
 * would wait for all of them.
 */
export class EventLoopTurns {
  private last: Promise<void> = Promise.resolve();

  /** Resolves in a turn of its own; in the order of asking. */
  next(): Promise<void> {
    this.last = this.last.then(() => setImmediate());
    return this.last;
  }
}
