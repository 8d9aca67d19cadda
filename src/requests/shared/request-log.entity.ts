import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import type { Prompt } from '../../llm/shared/blueprint.js';
import type { JsonObject } from '../../platform/json.js';
import type { RequestStatus } from '../../llm/records/llm-call.js';
import type { Origin } from '../../llm/records/origin.js';

/** Source of the cost of a call: reported, or computed by the table of prices. */
export type PricedBy = 'reported' | 'table';

/**
 * One call of a language model. `metadata`, `input`, `output` and `parameters` are stored out of line, so lists do not
 * read them.
 */
@Entity('request_logs')
@Index('request_logs_start_idx', { synchronize: false })
@Index('request_logs_facets_idx', { synchronize: false })
@Index('request_logs_trace_idx', { synchronize: false })
@Index('request_logs_price_idx', { synchronize: false })
@Index('request_logs_latency_idx', { synchronize: false })
@Index('request_logs_input_tokens_idx', { synchronize: false })
@Index('request_logs_output_tokens_idx', { synchronize: false })
@Index('request_logs_status_idx', { synchronize: false })
export class RequestLog {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'bigint' })
  id: string;

  @Column({ name: 'request_start_time', type: 'timestamptz' })
  requestStartTime: Date;

  @Column({ name: 'request_end_time', type: 'timestamptz' })
  requestEndTime: Date;

  /** Never negative: when the clock ran backwards it is 0. */
  @Column({ name: 'latency_ms', type: 'double precision' })
  latencyMs: number;

  /** US dollars; null when no rate is known, which is not the same as free. */
  @Column({ type: 'double precision', nullable: true })
  price: number | null;

  /** Null without a price, and for logs that are older than the column. */
  @Column({ name: 'priced_by', type: 'text', nullable: true })
  pricedBy: PricedBy | null;

  @Column({ name: 'input_tokens', type: 'integer', nullable: true })
  inputTokens: number | null;

  @Column({ name: 'output_tokens', type: 'integer', nullable: true })
  outputTokens: number | null;

  @Column({ name: 'cached_tokens', type: 'integer', nullable: true })
  cachedTokens: number | null;

  @Column({ name: 'cache_write_tokens', type: 'integer', nullable: true })
  cacheWriteTokens: number | null;

  @Column({ name: 'thinking_tokens', type: 'integer', nullable: true })
  thinkingTokens: number | null;

  @Column({ name: 'prompt_id', type: 'integer', nullable: true })
  promptId: number | null;

  @Column({ name: 'prompt_version_number', type: 'integer', nullable: true })
  promptVersionNumber: number | null;

  /** True when characters that cannot be stored were replaced. */
  @Column({ type: 'boolean' })
  sanitized: boolean;

  @Column({ name: 'trace_id', type: 'text', collation: 'C', nullable: true })
  traceId: string | null;

  @Column({ name: 'span_id', type: 'text', collation: 'C', nullable: true })
  spanId: string | null;

  @Column({ type: 'text' })
  provider: string;

  @Column({ type: 'text' })
  model: string;

  @Column({ name: 'api_type', type: 'text', nullable: true })
  apiType: string | null;

  @Column({ name: 'function_name', type: 'text' })
  functionName: string;

  @Column({ type: 'text' })
  status: RequestStatus;

  @Column({ name: 'error_type', type: 'text', nullable: true })
  errorType: string | null;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage: string | null;

  @Column({ type: 'text', array: true })
  tags: string[];

  /** See `facets.ts`. */
  @Column({ type: 'text', array: true })
  facets: string[];

  @Column({ type: 'jsonb' })
  metadata: Record<string, string>;

  @Column({ type: 'jsonb' })
  parameters: JsonObject;

  @Column({ name: 'prompt_input_variables', type: 'jsonb' })
  promptInputVariables: JsonObject;

  @Column({ type: 'jsonb' })
  input: Prompt;

  @Column({ type: 'jsonb' })
  output: Prompt;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  /** The group to which a client has added the call. */
  @Column({ name: 'group_id', type: 'integer', nullable: true })
  groupId: number | null;

  /**
   * Shape of the answer, see `OUTPUT_SHAPES`; null for logs that are older than the column, until a worker fills it in.
   */
  @Column({ name: 'output_shape', type: 'smallint', nullable: true })
  outputShape: number | null;

  /** Messages of the assistant, the answer included. */
  @Column({ name: 'turn_count', type: 'integer', default: 0 })
  turnCount: number;

  /** Tool calls of the whole conversation. */
  @Column({ name: 'tool_call_count', type: 'integer', default: 0 })
  toolCallCount: number;

  /** Functions that the answer calls. */
  @Column({ name: 'tool_names', type: 'text', array: true, default: () => "'{}'" })
  toolNames: string[];

  /** Paths of the answer, when it is a JSON object or calls tools. */
  @Column({ name: 'output_keys', type: 'text', array: true, default: () => "'{}'" })
  outputKeys: string[];

  @Column({ name: 'input_variable_keys', type: 'text', array: true, default: () => "'{}'" })
  inputVariableKeys: string[];

  /** The answer as data: its JSON object, or its tool calls with parsed arguments. */
  @Column({ name: 'output_data', type: 'jsonb', nullable: true })
  outputData: JsonObject | null;

  @Column({ type: 'text', collation: 'C', default: 'application' })
  origin: Origin;

  /** The deployment environment, if the source names one. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  environment: string | null;

  /**
   * Additions of clients after the call was logged. They survive a re-delivery of the span from which the log was made.
   */
  @Column({ type: 'jsonb', nullable: true })
  tracked: Tracked | null;
}

/** Additions of clients to a log. `metadata`, `tags` and `prompt*` of the log already contain them. */
export interface Tracked {
  tags?: { added: string[]; removed: string[] };
  metadata?: Record<string, string>;
  prompt?: { id: number; versionNumber: number; variables: JsonObject | null };
}
