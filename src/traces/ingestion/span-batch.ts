import type { DataSource } from 'typeorm';
import { isDataFailure, isRetryable } from '../../platform/database/failures.js';
import { addBatch } from './add-batch.js';
import { batchOf, type Outcomes } from './batch.js';
import type { Delivery } from './incoming-span.js';
import { mergeBatch } from './merge-batch.js';
import { SpanRows } from './span-rows.js';

const ATTEMPTS = 5;

/** Writes deliveries of any workspaces, with request logs, trace summaries and receipts, in one transaction. */
export class SpanBatchWriter {
  private readonly rows = new SpanRows();
  /** Whether the spans of the last batch were new. */
  private expectsNew = true;

  constructor(private readonly db: DataSource) {}

  /**
   * The outcomes of each delivery. A span the database refuses is singled out and the others are stored, unless its
   * delivery is atomic: then nothing of that one is stored and all its spans are refused.
   * Throws when the database cannot be reached: then nothing is stored.
   */
  async write(deliveries: Delivery[]): Promise<Outcomes> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.writeOnce(deliveries);
      } catch (error) {
        if (isRetryable(error) && attempt < ATTEMPTS) continue;
        if (!isDataFailure(error)) throw error;
        return deliveries.length > 1 ? this.writeHalves(deliveries) : this.singleOut(deliveries[0]!, error as Error);
      }
    }
  }

  private async writeHalves(deliveries: Delivery[]): Promise<Outcomes> {
    const middle = Math.ceil(deliveries.length / 2);
    const first = await this.write(deliveries.slice(0, middle));
    return [...first, ...(await this.write(deliveries.slice(middle)))];
  }

  private async singleOut(delivery: Delivery, { message: reason }: Error): Promise<Outcomes> {
    const { spans } = delivery;
    if (delivery.atomic) return [spans.map(() => ({ kind: 'refused', reason }))];
    if (spans.length === 1) {
      const [outcome] = await this.write([
        { ...delivery, spans: [], refused: [...delivery.refused, { reason, count: 1 }] },
      ]);
      return [[...outcome!, { kind: 'refused', reason }]];
    }
    const middle = Math.ceil(spans.length / 2);
    const [first] = await this.write([{ ...delivery, spans: spans.slice(0, middle) }]);
    const [second] = await this.write([{ ...delivery, spans: spans.slice(middle), refused: [] }]);
    return [[...first!, ...second!]];
  }

  private async writeOnce(deliveries: Delivery[]): Promise<Outcomes> {
    const batch = batchOf(deliveries);
    if (this.expectsNew && this.rows.needNothing(batch.spans)) {
      const outcomes = await addBatch(this.db, batch, this.rows);
      if (outcomes) return outcomes;
    }
    const { outcomes, allNew } = await mergeBatch(this.db, batch, this.rows);
    this.expectsNew = allNew;
    return outcomes;
  }
}
