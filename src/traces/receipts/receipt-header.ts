/** Carries the id of the receipt of a request that brought spans. */
export const RECEIPT_HEADER = 'x-ingest-receipt';

export const ReceiptHeader = {
  [RECEIPT_HEADER]: {
    description: 'Ask `GET /api/public/v2/ingest/receipts/{receipt_id}` what became of every span.',
    schema: { type: 'string' as const, format: 'uuid' },
  },
};
