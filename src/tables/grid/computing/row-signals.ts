import { WorkAborted } from '../../../platform/work/work-kind.js';
import type { RowSet } from '../rows/row-set.js';

/** One abort signal for each row of a claim that is worked on. */
export class RowSignals {
  private readonly controllers = new Map<number, AbortController>();
  private reason: WorkAborted | null = null;

  start(row: number): AbortSignal {
    const controller = new AbortController();
    if (this.reason) controller.abort(this.reason);
    this.controllers.set(row, controller);
    return controller.signal;
  }

  end(row: number): void {
    this.controllers.delete(row);
  }

  abort(row: number, reason: WorkAborted): void {
    this.controllers.get(row)?.abort(reason);
  }

  abortAll(reason: WorkAborted): void {
    this.reason = reason;
    for (const controller of this.controllers.values()) controller.abort(reason);
  }

  /** Aborts the rows that somebody has taken out of the claim: they were deleted. */
  keepOnly(rows: RowSet): void {
    for (const [row, controller] of this.controllers) {
      if (!rows.has(row)) controller.abort(new WorkAborted('cancelled'));
    }
  }
}
