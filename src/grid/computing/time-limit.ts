import { WorkAborted } from '../../platform/work/work-kind.js';

/** A signal that is aborted with another one, or at a timeout. Call `end` when it is not needed any more. */
export class TimeLimit {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private leftMs: number;
  private runningSince = 0;
  private pauses = 0;
  private exceeded = false;
  private readonly forward: () => void;

  constructor(
    private readonly outer: AbortSignal | null,
    limitMs: number,
  ) {
    this.leftMs = limitMs;
    this.forward = () => this.controller.abort(outer?.reason);
    if (outer?.aborted) this.forward();
    outer?.addEventListener('abort', this.forward, { once: true });
    this.run();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get isExceeded(): boolean {
    return this.exceeded;
  }

  /** Stops the clock until the promise is settled. */
  async pauseFor<T>(wait: Promise<T>): Promise<T> {
    if (this.pauses++ === 0) this.pause();
    try {
      return await wait;
    } finally {
      if (--this.pauses === 0) this.run();
    }
  }

  end(): void {
    if (this.timer) clearTimeout(this.timer);
    this.leftMs = Infinity;
    this.outer?.removeEventListener('abort', this.forward);
  }

  private run(): void {
    if (this.leftMs === Infinity) return;
    this.runningSince = performance.now();
    this.timer = setTimeout(() => this.exceed(), this.leftMs);
  }

  private pause(): void {
    if (this.timer) clearTimeout(this.timer);
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.runningSince));
  }

  private exceed(): void {
    if (this.signal.aborted) return;
    this.exceeded = true;
    this.controller.abort(new WorkAborted('time_limit'));
  }
}
