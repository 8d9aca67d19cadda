import { WorkAborted } from '../../../platform/work/work-kind.js';

/** A signal that is aborted with another one, and by itself when the time is over. Call `end` when it is of no use any more. */
export class TimeLimit {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private exceeded = false;
  private readonly forward: () => void;

  constructor(
    private readonly outer: AbortSignal | null,
    limitMs: number,
  ) {
    this.forward = () => this.controller.abort(outer?.reason);
    if (outer?.aborted) this.forward();
    outer?.addEventListener('abort', this.forward, { once: true });
    this.timer = setTimeout(() => this.exceed(), limitMs);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isExceeded(): boolean {
    return this.exceeded;
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.forward);
  }

  private exceed(): void {
    if (this.signal.aborted) return;
    this.exceeded = true;
    this.controller.abort(new WorkAborted('time_limit'));
  }
}
