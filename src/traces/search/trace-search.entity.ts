import { Column, Entity, Index } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { MeasuredSpanRow, TraceRow } from '../shared/span-rows.js';

/** A trace whose search rows are not up to date. Ingestion writes it in the transaction that changes the trace. */
@Entity('trace_search_queue')
@Index('trace_search_queue_due_idx', { synchronize: false })
export class QueuedTrace extends TraceRow {
  /** Another number after every change of the trace. */
  @Column({ type: 'bigint' })
  generation: string;

  /** Large traces wait longer, so that one that grows is not read again for every batch. */
  @Column({ name: 'due_at', type: 'timestamptz', default: () => 'now()' })
  dueAt: Date;

  /** The number of the last claim, null after its release. Its holder may write the search rows of the trace. */
  @Column({ type: 'bigint', nullable: true })
  claim: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;
}

/** Facts that a trace is found and listed by, computed from all its spans. Its sums are in `traces`. */
@Entity('trace_search')
@Index('trace_search_session_idx', { synchronize: false })
@Index('trace_search_sessions_idx', { synchronize: false })
@Index('trace_search_user_sessions_idx', { synchronize: false })
export class TraceSearch extends TraceRow {
  /** The earliest span without a parent in the trace. */
  @Column({ name: 'root_span_id', type: 'text', collation: 'C' })
  rootSpanId: string;

  /** Name of the root. */
  @Column({ type: 'text' })
  name: string;

  /** ERROR if any span failed, else OK if the root says so, else UNSET. */
  @Column({ type: 'text' })
  status: string;

  /** Spans on the longest way down; a root alone is 1. */
  @Column({ type: 'integer' })
  depth: number;

  @Column({ name: 'models_used', type: 'text', array: true })
  modelsUsed: string[];

  @Column({ name: 'tool_names', type: 'text', array: true })
  toolNames: string[];

  @Column({ name: 'prompt_ids', type: 'integer', array: true })
  promptIds: number[];

  /** "10:2" is version 2 of prompt 10. */
  @Column({ name: 'prompt_versions', type: 'text', array: true })
  promptVersions: string[];

  @Column({ name: 'workflow_ids', type: 'text', array: true })
  workflowIds: string[];

  @Column({ name: 'workflow_versions', type: 'text', array: true })
  workflowVersions: string[];

  @Column({ type: 'jsonb' })
  workflows: { id: string; name: string | null; version: string | null }[];

  @Column({ name: 'user_id', type: 'text', nullable: true })
  userId: string | null;

  /**
   * Null for a trace without a session, and for one that was stored before sessions existed and has not changed since.
   */
  @Column({ name: 'session_id', type: 'text', nullable: true })
  sessionId: string | null;

  /** The start of the trace, by which lists of sessions are ordered. */
  @Column({ name: 'start_ns', type: 'bigint', nullable: true })
  startNs: string | null;

  @Column({ type: 'text', array: true })
  tags: string[];

  @Column({ type: 'jsonb' })
  metadata: JsonObject;

  /** The beginning of the input of the first span that has one. */
  @Column({ name: 'first_input', type: 'text', nullable: true })
  firstInput: string | null;

  /** The beginning of the output of the last span to end that has one. */
  @Column({ name: 'last_output', type: 'text', nullable: true })
  lastOutput: string | null;

  /** The beginning of the message of the earliest failed span that has one. */
  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage: string | null;

  /** Exact values of the trace and of all its spans, see `trace-facets.ts`. */
  @Column({ type: 'text', array: true })
  facets: string[];

  /** True when there were more values than are kept: then the absence of a value proves nothing. */
  @Column({ name: 'facets_cut', type: 'boolean' })
  facetsCut: boolean;

  /**
   * Durations of the waits of arrival readers that already got an entry of the trace; -1 for the entry at its closing.
   */
  @Column({ name: 'arrived_waits', type: 'integer', array: true, nullable: true })
  arrivedWaits: number[] | null;

  /** The number of its spans at that time. */
  @Column({ name: 'arrived_spans', type: 'integer', nullable: true })
  arrivedSpans: number | null;
}

/**
 * Facts that a span is found by. `spans` has the numbers and names, too, but between payloads: scanning many rows there
 * would read ten times as much. Texts are cut at documented lengths.
 */
@Entity('span_search')
@Index('span_search_span_idx', ['workspaceId', 'spanId'])
export class SpanSearch extends MeasuredSpanRow {
  @Column({ name: 'tool_name', type: 'text', nullable: true })
  toolName: string | null;

  @Column({ name: 'workflow_id', type: 'text', nullable: true })
  workflowId: string | null;

  @Column({ name: 'workflow_version', type: 'text', nullable: true })
  workflowVersion: string | null;

  /** Prompts of the span and of all spans below it. */
  @Column({ name: 'subtree_prompt_ids', type: 'integer', array: true })
  subtreePromptIds: number[];

  @Column({ name: 'subtree_workflow_ids', type: 'text', array: true })
  subtreeWorkflowIds: string[];

  /** Exact values of the span that have few different values over all spans. */
  @Column({ type: 'text', array: true })
  facets: string[];

  /** Paths of an output that is JSON, or that calls tools. */
  @Column({ name: 'output_keys', type: 'text', array: true })
  outputKeys: string[];

  /** Texts by path, see `flatten.ts`; null when there are none. */
  @Column({ name: 'output_values', type: 'jsonb', nullable: true })
  outputValues: Record<string, string[]> | null;

  @Column({ name: 'input_variables', type: 'jsonb', nullable: true })
  inputVariables: Record<string, string[]> | null;

  /** Values inside attributes that are JSON, by the key of the attribute and the path in it. */
  @Column({ name: 'attributes_deep', type: 'jsonb', nullable: true })
  attributesDeep: Record<string, string[]> | null;

  @Column({ type: 'text', nullable: true })
  exception: string | null;

  @Column({ type: 'text', nullable: true })
  input: string | null;

  @Column({ type: 'text', nullable: true })
  output: string | null;

  /** The output as written, where `output` has lines of its paths and values. */
  @Column({ type: 'text', nullable: true })
  answer: string | null;
}
