import type { TurnOwner } from '../turns.js';
import { TURN_MS } from './limits.js';
import type { Send } from './process-pool.js';
import type { ProcessKind } from './programs.js';
import type { RowOutcome } from './row-outcome.js';
import type { Sandbox } from './sandbox.js';
import { Stopped } from './sandbox-process.js';

/** Describes how the rows of a group are sent. */
export interface RowWork<R> {
  kind: ProcessKind;
  owner: TurnOwner;
  /** Limit of a row in milliseconds of processor time. */
  timeMs: number;
  /** Number of processes that work on the group at a time. */
  width: number;
  /** After this many stopped rows, the others are not tried. */
  stoppedRows?: number;
  argumentOf(inputs: R[]): unknown;
  /** Outcomes of the first rows, as many as the answer has. */
  read(answer: unknown): RowOutcome[];
  /** Beginning of the error of a row that broke the interpreter. */
  broken: string;
}

/** Error of code that exceeded its memory limit. */
export const OUT_OF_MEMORY = 'It needed too much memory and was stopped.';

interface Row<R> {
  input: R;
  /** Size in characters. */
  size: number;
  signal: AbortSignal | null;
  resolve(outcome: RowOutcome): void;
  reject(reason: unknown): void;
}

/** Maximum size of a slice: more rows would wait in memory twice. */
const SLICE = { rows: 250, characters: 8_000_000 };
/** Time limit of each row in the search for the one that did not end: the others took almost no time. */
const RETRY_MS = 1_000;

/**
 * Rows with the same work. They are sent in slices, as many at a time as are done in a turn. When a process is stopped
 * in the middle of a slice, its rows are retried one by one to find the culprit, and only that one fails.
 */
export class RowGroup<R> {
  private readonly waiting: Row<R>[] = [];
  private rowsAtOnce = 1;
  private asked = 0;
  private stoppedRows = 0;
  /** Before the first answer the speed of rows is unknown, and a process may have to start. */
  private hasAnswered = false;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly work: RowWork<R>,
    private readonly onEmpty: () => void = () => undefined,
  ) {}

  /** Rejects when no process can be started, or with the reason of the signal. */
  add(input: R, size: number, signal: AbortSignal | null = null): Promise<RowOutcome> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ input, size, signal, resolve, reject });
      // Rows that are added in the same tick are sent together.
      if (this.waiting.length === 1) setImmediate(() => this.ask());
    });
  }

  private ask(): void {
    const { kind, owner, width } = this.work;
    const slices = this.hasAnswered ? width : 1;
    while (this.asked < Math.min(slices, this.waiting.length)) {
      this.asked++;
      const done = this.sandbox.inTurn(kind, owner, (send) => this.doSlice(send));
      void done
        .catch((error: unknown) => this.rejectAll(error))
        .finally(() => {
          this.asked--;
          this.ask();
        });
    }
    if (this.asked === 0 && this.waiting.length === 0) this.onEmpty();
  }

  private async doSlice(send: Send): Promise<void> {
    const slice = this.takeSlice();
    if (slice.length === 0) return;
    const start = performance.now();
    const { timeMs } = this.work;
    // Rows before one that exceeds the limit may have used a whole turn.
    const answered = await this.send(send, slice, slice.length === 1 ? timeMs : timeMs + TURN_MS);
    if (typeof answered === 'number') this.setPace(answered, performance.now() - start);
    else await this.blame(send, slice, answered);
    this.hasAnswered = true;
  }

  /**
   * Settles the rows that were answered; the others wait again. Returns their number, or why the process was stopped.
   */
  private async send(send: Send, slice: Row<R>[], timeMs: number): Promise<number | Stopped> {
    const { argumentOf, read } = this.work;
    const { signal, forget } = firstToAbort(slice);
    const argument = argumentOf(slice.map(({ input }) => input));
    try {
      const outcomes = read(await send({ argument, timeMs, signal }));
      outcomes.forEach((outcome, index) => slice[index]!.resolve(outcome));
      this.waiting.unshift(...slice.slice(outcomes.length));
      return outcomes.length;
    } catch (error) {
      if (error instanceof Stopped && error.why !== 'aborted') return error;
      if (signal.aborted) this.waiting.unshift(...slice);
      else for (const row of slice) row.reject(error);
      return 0;
    } finally {
      forget();
    }
  }

  /** Rows before the culprit took almost no time, so the first one that takes longer is the culprit. */
  private async blame(send: Send, slice: Row<R>[], stopped: Stopped): Promise<void> {
    const { timeMs } = this.work;
    for (const [index, row] of slice.entries()) {
      if (slice.length > 1 && typeof (await this.send(send, [row], Math.min(timeMs, RETRY_MS))) === 'number') continue;
      this.rowsAtOnce = 1;
      row.resolve({ error: this.reasonOf(stopped) });
      this.waiting.unshift(...slice.slice(index + 1));
      if (++this.stoppedRows >= (this.work.stoppedRows ?? Infinity)) this.giveUp();
      return;
    }
  }

  private reasonOf({ why, detail }: Stopped): string {
    if (why === 'memory') return OUT_OF_MEMORY;
    if (why === 'broken') return `${this.work.broken}: ${detail}`;
    return `It took longer than ${this.work.timeMs / 1000} seconds and was stopped.`;
  }

  private takeSlice(): Row<R>[] {
    const slice: Row<R>[] = [];
    const count = Math.min(this.rowsAtOnce, Math.ceil(this.waiting.length / this.work.width));
    let room = SLICE.characters;
    while (this.waiting.length > 0 && slice.length < count) {
      const row = this.waiting[0]!;
      if (slice.length > 0 && row.size > room) break;
      this.waiting.shift();
      room -= row.size;
      if (row.signal?.aborted) row.reject(row.signal.reason);
      else slice.push(row);
    }
    return slice;
  }

  /** Adapts to the number of rows done in a turn, but at most doubles it. */
  private setPace(rows: number, ms: number): void {
    this.rowsAtOnce = Math.max(1, Math.min(SLICE.rows, Math.ceil(rows * Math.min(2, TURN_MS / ms))));
  }

  private giveUp(): void {
    const error = `It was not tried: ${this.work.stoppedRows} rows before it had to be stopped.`;
    for (const row of this.waiting.splice(0)) row.resolve({ error });
  }

  private rejectAll(error: unknown): void {
    for (const row of this.waiting.splice(0)) row.reject(error);
  }
}

/** A signal that is aborted with the first of the rows. `AbortSignal.any` is much slower. */
function firstToAbort(rows: { signal: AbortSignal | null }[]): { signal: AbortSignal; forget: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const { signal } of rows) {
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
  }
  const forget = () => rows.forEach(({ signal }) => signal?.removeEventListener('abort', abort));
  return { signal: controller.signal, forget };
}
