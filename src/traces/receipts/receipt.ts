export const RECEIPT_STATUSES = ['stored', 'merged', 'duplicate', 'rejected'] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

/** What became of one or more spans of a trace that came one after the other. `reason`: why they were rejected. */
export interface ReceiptRun {
  traceId: string | null;
  status: ReceiptStatus;
  reason: string | null;
  /** One for each span; null when it came without a usable id. */
  spanIds: (string | null)[];
}

type StoredRun = [traceId: string | null, status: ReceiptStatus, reason: string | null, spanIds: (string | null)[]];

/** What became of the spans of a request, put together span by span. */
export class ReceiptRuns {
  private readonly runs: ReceiptRun[] = [];
  private last: ReceiptRun | null = null;

  add(spanId: string | null, { traceId, status, reason }: Omit<ReceiptRun, 'spanIds'>): void {
    const { last } = this;
    if (last?.traceId === traceId && last.status === status && last.reason === reason) last.spanIds.push(spanId);
    else this.runs.push((this.last = { traceId, status, reason, spanIds: [spanId] }));
  }

  /**
   * As they are stored: in JSON with a comma after each, so that two texts in a row are a text of the same kind. What spans have
   * in common is written once, because every span that is ingested costs what its part does.
   */
  get text(): string {
    return this.runs.map(textOf).join('');
  }
}

const textOf = ({ traceId, status, reason, spanIds }: ReceiptRun): string =>
  `${JSON.stringify([traceId, status, reason, spanIds] satisfies StoredRun)},`;

export function readRuns(text: string): ReceiptRun[] {
  const runs = JSON.parse(`[${text.slice(0, -1)}]`) as StoredRun[];
  return runs.map(([traceId, status, reason, spanIds]) => ({ traceId, status, reason, spanIds }));
}
