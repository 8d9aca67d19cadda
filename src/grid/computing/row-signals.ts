import { WorkAborted } from '../../platform/work/work-kind.js';
import type { HeldRows } from './tasks.queries.js';

/** One abort signal for each row of a running claim. */
export class RowSignals {
  private readonly controllers = new Map<number, { columnKey: string; controller: AbortController }>();
  private reason: WorkAborted | null = null;

  /** Starts a row in this column. */
  start(row: number, columnKey: string): AbortSignal {
    const controller = new AbortController();
    if (this.reason) controller.abort(this.reason);
    this.controllers.set(row, { columnKey, controller });
    return controller.signal;
  }

  abort(row: number, reason: WorkAborted): void {
    this.controllers.get(row)?.controller.abort(reason);
  }

  end(row: number): void {
    this.controllers.delete(row);
  }

  abortAll(reason: WorkAborted): void {
    this.reason = reason;
    for (const { controller } of this.controllers.values()) controller.abort(reason);
  }

  /** Aborts rows that left the claim: they were deleted, or another worker has claimed them. */
  keepOnly(held: HeldRows): void {
    for (const [row, { columnKey, controller }] of this.controllers) {
      if (!held.get(columnKey)?.has(row)) controller.abort(new WorkAborted('cancelled'));
    }
  }
}
