import type { JsonObject } from '../../platform/json.js';
import type { CellMetrics } from './cell-metrics.js';
import type { LlmCall } from '../../llm/records/llm-call.js';
import type { TimedCallFields } from '../../llm/records/logged-call.js';

/** A call of a model that was logged for a cell. */
export interface LoggedRequest {
  requestLogId: number;
  /** US dollars; null when no rate is known. */
  price: number | null;
}

/** A call of a model in the fields of request logs. Times are milliseconds since the epoch. */
export interface RecordedCall {
  call: LlmCall;
  startMs: number;
  endMs: number;
}

export interface PartOptions {
  /** Attributes of the part's span. */
  attributes?: JsonObject;
  /** Identifies inputs of the part, if there are any besides the parts before it. */
  of?: string;
}

/** Cost of work for this cell that is no call of the cell itself. */
export type TakenElsewhere = Pick<
  CellMetrics,
  'request_ids' | 'price' | 'input_tokens' | 'output_tokens' | 'trace_ids'
>;

/** The cell that a type with external results computes, and its tools. */
export interface CellContext {
  workspaceId: number;
  sheet: { id: string; tableId: string | null; title: string };
  column: { id: string; title: string; type: string };
  rowIndex: number;
  /** The operation that computes the cell. */
  executionId: string;
  /** Aborted when the result is not needed any more, or this worker may not store it; its reason is a `WorkAborted`. */
  signal: AbortSignal;
  /** Whether the operation accepts no earlier results, neither for this cell nor for the work it starts. */
  asksAgain: boolean;
  /** Result of the type's `dependsOn` for this cell; empty for a type without it. */
  dependsOn: string;
  /** Remaining budget of the operation in US dollars, as far as this worker knows; null for no limit. */
  budget: number | null;
  /** Cost of the calls logged for the cell so far, in US dollars, as far as prices are known. */
  spent(): number;
  /**
   * Stores a call of a model as a request log of this cell and as a span of the cell's trace. Resolves after the
   * commit; rejects when it cannot be stored.
   */
  log(call: TimedCallFields): Promise<LoggedRequest>;
  /**
   * Does the same for a call in the fields of request logs. The cell's metrics are complete without waiting for it. If
   * the log cannot be stored, the cell still gets its value, and its metrics count the missing log.
   */
  record(call: RecordedCall): Promise<LoggedRequest>;
  /** Adds the cost of other work for the cell, such as a run of a workflow. */
  count(taken: TakenElsewhere): void;
  /** Adds a warning for readers beside the value, in a sentence. */
  warn(message: string): void;
  /** Runs a part of the work as a span of the cell's trace; calls and steps inside it become its children. */
  step<T>(name: string, work: () => Promise<T>, attributes?: JsonObject): Promise<T>;
  /**
   * A step whose result is stored. When the worker dies, the next one gets the stored result and its cost, and
   * continues from there. For types that take long. Parts follow each other, and each has a unique name. A part may
   * consist of parts. The result is JSON.
   */
  part<T>(name: string, work: () => Promise<T>, more?: PartOptions): Promise<T>;
  /**
   * Retries a call while its failures may be temporary, as the engine does with `compute`. For types that call more
   * than once: finished calls are not paid for again. The final error is not retried. In an operation with `max_cost`
   * every call after the first one of the cell reserves its cost; a call beyond the budget fails the cell.
   */
  attempt<T>(call: () => Promise<T>): Promise<T>;
  /**
   * The `fetch` of the web. It reaches only addresses that the installation allows, follows no redirects, and ends when
   * the signal of the cell is aborted, unless `init` has another one.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Waits without using up the time limit of the cell, for example for a slot. */
  untimed<T>(wait: Promise<T>): Promise<T>;
  /**
   * Waits for work that needs slots of cells itself, such as a run of a workflow. It frees the slot of this cell and
   * stops the clock. Few cells of a column do so at the same time; the others are not started.
   */
  away<T>(wait: Promise<T>): Promise<T>;
}
