import { Inject, Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { Evaluator, type Stopped } from './evaluator.js';
import type { EvaluationCall, Outcome } from './evaluator.messages.js';
import type { EvaluationName, EvaluationOptions } from './evaluations.js';

export interface IsolationLimits {
  /** How long one row may take, in milliseconds. */
  rowMs: number;
  /** So many rows of a call may be stopped; the rest is not tried then. */
  stoppedRows: number;
  memoryMb: number;
  processes: number;
}

export const ISOLATION_LIMITS = Symbol('ISOLATION_LIMITS');

const DEFAULTS: IsolationLimits = { rowMs: 5_000, stoppedRows: 10, memoryMb: 512, processes: 2 };

/** Longest text that is evaluated: 5 MB of ASCII. */
const MAX_TEXT = 5_000_000;
/** What goes to a process at a time; more would wait in memory twice. */
const SLICE = { rows: 250, characters: 8_000_000 };
/** Slow rows go in smaller slices, so that other calls get their turn about this often. */
const TURN_MS = 1_000;
/** How long the rows may take that are tried again to find the one that ran away: the others were done in no time. */
const RETRY_MS = 1_000;
const FLUSH_MS = 20;

/**
 * Evaluates expressions that users wrote (patterns, paths, diffs) over the texts of many rows, in processes that can be
 * ended. A row that takes too long or too much memory fails alone; the others are evaluated.
 */
@Injectable()
export class Isolation implements OnApplicationShutdown {
  private readonly limits: IsolationLimits;
  private readonly idle: Evaluator[] = [];
  private readonly waiting: (() => void)[] = [];
  private busy = 0;

  constructor(@Optional() @Inject(ISOLATION_LIMITS) limits?: Partial<IsolationLimits>) {
    this.limits = { ...DEFAULTS, ...limits };
  }

  /** One outcome for each row, in their order. Rejects only when no process can be started. */
  async run<K extends EvaluationName>(name: K, options: EvaluationOptions[K], rows: string[][]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    let pace = { flushMs: FLUSH_MS, rows: SLICE.rows, limitMs: this.limits.rowMs };
    let stoppedRows = 0;
    while (outcomes.length < rows.length) {
      if (stoppedRows >= this.limits.stoppedRows) return fill(outcomes, rows.length, this.givenUp());
      const slice = sliceAt(rows, outcomes.length, pace.rows);
      if (slice.length === 0) {
        outcomes.push({ error: `The source is longer than ${MAX_TEXT} characters.` });
        continue;
      }
      const call = { name, options, rows: slice, flushMs: pace.flushMs };
      const { stopped, ms } = await this.evaluate(call, outcomes, pace.limitMs);
      if (stopped && pace.flushMs === 0) {
        outcomes.push({ error: this.describe(stopped) });
        stoppedRows++;
      }
      const { rowMs } = this.limits;
      pace = {
        // Once a row was stopped every row is answered at once, so that the next one to blame is known.
        flushMs: stopped ? 0 : pace.flushMs,
        rows: Math.ceil(slice.length * Math.min(2, TURN_MS / ms)),
        limitMs: stopped && pace.flushMs > 0 ? Math.min(rowMs, RETRY_MS) : rowMs,
      };
    }
    return outcomes;
  }

  onApplicationShutdown(): void {
    for (const evaluator of this.idle.splice(0)) evaluator.stop();
  }

  private async evaluate(
    call: EvaluationCall,
    outcomes: Outcome[],
    limitMs: number,
  ): Promise<{ stopped: Stopped | null; ms: number }> {
    await this.takeTurn();
    try {
      const evaluator = this.idle.pop() ?? (await Evaluator.start(this.limits.memoryMb));
      const start = performance.now();
      const stopped = await evaluator.evaluate(call, outcomes, limitMs);
      if (!stopped) this.idle.push(evaluator);
      return { stopped, ms: performance.now() - start };
    } finally {
      this.busy--;
      this.waiting.shift()?.();
    }
  }

  private async takeTurn(): Promise<void> {
    while (this.busy >= this.limits.processes) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.busy++;
  }

  private describe(stopped: Stopped): string {
    if (stopped === 'memory') return 'It needed too much memory and was stopped.';
    return `It took longer than ${this.limits.rowMs / 1000} seconds and was stopped.`;
  }

  private givenUp(): string {
    return `It was not tried: ${this.limits.stoppedRows} rows before it had to be stopped.`;
  }
}

/** The rows from `from` on that go together; none when the first is too long to be evaluated at all. */
function sliceAt(rows: string[][], from: number, count: number): string[][] {
  let to = from;
  for (let room = SLICE.characters; to < rows.length && to - from < Math.min(count, SLICE.rows); to++) {
    const size = rows[to]!.reduce((sum, text) => sum + text.length, 0);
    if (rows[to]!.some((text) => text.length > MAX_TEXT) || (size > room && to > from)) break;
    room -= size;
  }
  return rows.slice(from, to);
}

function fill(outcomes: Outcome[], length: number, error: string): Outcome[] {
  while (outcomes.length < length) outcomes.push({ error });
  return outcomes;
}
