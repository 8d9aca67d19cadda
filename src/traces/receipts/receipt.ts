export const RECEIPT_STATUSES = ['stored', 'merged', 'duplicate', 'rejected'] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

/** Trace id, span id, what became of the span and, when it was rejected, why. Ids are null when they were unusable. */
export type ReceiptEntry = [traceId: string | null, spanId: string | null, status: ReceiptStatus, reason?: string];
