import { Column, Entity, Index } from 'typeorm';
import type { Origin } from '../../llm/records/origin.js';
import { TraceRow } from './span-rows.js';

/**
 * The summary of a trace. It exists from the first span on; after `closedAt` it refuses further spans permanently.
 * Tokens and cost are summed over spans that are calls of a model, so that agents do not count them again.
 */
@Entity('traces')
@Index('traces_start_idx', { synchronize: false })
export class Trace extends TraceRow {
  @Column({ name: 'start_ns', type: 'bigint', nullable: true })
  startNs: string | null;

  @Column({ name: 'end_ns', type: 'bigint', nullable: true })
  endNs: string | null;

  @Column({ name: 'span_count', type: 'integer', default: 0 })
  spanCount: number;

  @Column({ name: 'error_count', type: 'integer', default: 0 })
  errorCount: number;

  @Column({ name: 'input_tokens', type: 'bigint', default: 0 })
  inputTokens: string;

  @Column({ name: 'output_tokens', type: 'bigint', default: 0 })
  outputTokens: string;

  /** US dollars. Exact decimals: the sum must not depend on the order spans arrive in. */
  @Column({ type: 'numeric', default: 0 })
  cost: string;

  /** Calls of a model without a known price, which `cost` lacks; null where they were not counted yet. */
  @Column({ name: 'unpriced_count', type: 'integer', nullable: true, default: 0 })
  unpricedCount: number | null;

  /** The earliest span without a parent. */
  @Column({ name: 'root_start_ns', type: 'bigint', nullable: true })
  rootStartNs: string | null;

  @Column({ name: 'root_span_id', type: 'text', collation: 'C', nullable: true })
  rootSpanId: string | null;

  @Column({ name: 'root_name', type: 'text', nullable: true })
  rootName: string | null;

  /** `application` where any of its spans comes from one. */
  @Column({ type: 'text', collation: 'C', default: 'application' })
  origin: Origin;

  /** The deployment environment; of several the alphabetically first. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  environment: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt: Date | null;
}
