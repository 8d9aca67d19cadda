import { readJson } from '../../platform/read-json.js';
import type { Aside } from './asides.js';

export const RECEIPT_STATUSES = ['stored', 'merged', 'duplicate', 'rejected'] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

/** Outcome of one or more successive spans of a trace. `reason`: why they were rejected. */
export interface ReceiptRun {
  traceId: string | null;
  status: ReceiptStatus;
  reason: string | null;
  /** One for each span; null when it came without a usable id. */
  spanIds: (string | null)[];
  /** Number of the spans, in place of `spanIds`, where nothing else is known of them. */
  untold?: number;
}

type StoredRun = [
  traceId: string | null,
  status: ReceiptStatus,
  reason: string | null,
  spans: (string | null)[] | number,
];

type RunFacts = Pick<ReceiptRun, 'traceId' | 'status' | 'reason'>;

/** Collects the outcomes of the spans of a request, span by span. */
export class ReceiptRuns {
  private readonly runs: ReceiptRun[] = [];
  private last: ReceiptRun | null = null;

  add(spanId: string | null, { traceId, status, reason }: RunFacts): void {
    const { last } = this;
    if (last?.traceId === traceId && last.status === status && last.reason === reason) last.spanIds.push(spanId);
    else this.runs.push((this.last = { traceId, status, reason, spanIds: [spanId] }));
  }

  addUntold(count: number, { traceId, status, reason }: RunFacts): void {
    this.last = null;
    this.runs.push({ traceId, status, reason, spanIds: [], untold: count });
  }

  /** The same runs with skipped spans in their positions. */
  woven(asides: Aside[]): ReceiptRuns {
    return new Weaver(this.runs, asides).woven;
  }

  /**
   * The runs as stored: JSON with a comma after each run, so joined texts are a valid text again. Values that spans
   * have in common are written once, because every ingested span costs space.
   */
  get text(): string {
    return textOfRuns(this.runs);
  }
}

/** Puts skipped spans between the spans of runs. A repeated span is refused where the first one is. */
class Weaver {
  readonly woven = new ReceiptRuns();
  private readonly rejected = new Map<string, RunFacts>();
  private next = 0;

  constructor(
    runs: ReceiptRun[],
    private readonly asides: Aside[],
  ) {
    let at = 0;
    for (const run of runs) {
      for (const spanId of run.spanIds) {
        this.tellUntil(at++);
        this.woven.add(spanId, run);
        if (run.status === 'rejected') this.rejected.set(`${run.traceId} ${spanId}`, run);
      }
    }
    this.tellUntil(Infinity);
  }

  private tellUntil(at: number): void {
    for (; this.next < this.asides.length && this.asides[this.next]!.at <= at; this.next++) {
      this.tell(this.asides[this.next]!);
    }
  }

  private tell(aside: Aside): void {
    const { traceId, spanId, count } = aside;
    if (aside.at === Infinity) this.woven.addUntold(count, aside);
    else this.woven.add(spanId, this.rejected.get(`${traceId} ${spanId}`) ?? aside);
  }
}

const textOf = ({ traceId, status, reason, spanIds, untold }: ReceiptRun): string =>
  `${JSON.stringify([traceId, status, reason, untold ?? spanIds] satisfies StoredRun)},`;

/** Like `ReceiptRuns.text`, for runs that were read. */
export const textOfRuns = (runs: ReceiptRun[]): string => runs.map(textOf).join('');

export function readRuns(text: string): ReceiptRun[] {
  const runs = readJson<StoredRun[]>(`[${text.slice(0, -1)}]`);
  return runs.map(([traceId, status, reason, spans]) =>
    typeof spans === 'number'
      ? { traceId, status, reason, spanIds: [], untold: spans }
      : { traceId, status, reason, spanIds: spans },
  );
}
