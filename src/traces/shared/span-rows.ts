import { Column, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';

/** The key of a table with a row for each trace. */
export abstract class TraceRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'trace_id', type: 'text', collation: 'C' })
  traceId: string;
}

/** The key of a table with a row for each span. */
export abstract class SpanRow extends TraceRow {
  @PrimaryColumn({ name: 'span_id', type: 'text', collation: 'C' })
  spanId: string;
}

/** Columns that a span has in `spans` and in `span_search`. */
export abstract class MeasuredSpanRow extends SpanRow {
  @Column({ name: 'start_ns', type: 'bigint' })
  startNs: string;

  @Column({ name: 'end_ns', type: 'bigint', nullable: true })
  endNs: string | null;

  @Column({ name: 'input_tokens', type: 'integer', nullable: true })
  inputTokens: number | null;

  @Column({ name: 'output_tokens', type: 'integer', nullable: true })
  outputTokens: number | null;

  /** US dollars; null when no rate is known. */
  @Column({ type: 'double precision', nullable: true })
  cost: number | null;

  /** The version of a prompt that the span names, if there is one. */
  @Column({ name: 'prompt_id', type: 'integer', nullable: true })
  promptId: number | null;

  @Column({ name: 'prompt_version_number', type: 'integer', nullable: true })
  promptVersionNumber: number | null;

  @Column({ type: 'text' })
  name: string;
}
