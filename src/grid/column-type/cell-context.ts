import type { JsonObject } from '../../platform/json.js';
import type { CellMetrics } from '../cells/cell-metrics.js';
import type { LlmCall } from '../../llm/records/llm-call.js';
import type { TimedCallFields } from '../../llm/records/logged-call.js';

/** A call of a model that was logged for a cell. */
export interface LoggedRequest {
  requestLogId: number;
  /** US dollars; null when no rate is known. */
  price: number | null;
}

/** A call of a model in the words of request logs. Times are milliseconds since the epoch. */
export interface RecordedCall {
  call: LlmCall;
  startMs: number;
  endMs: number;
}

export interface PartOptions {
  /** Of its span. */
  attributes?: JsonObject;
  /** What the part is made of, where something besides the parts before it decides that. */
  of?: string;
}

/** What something that is no call of this cell has taken for it. */
export type TakenElsewhere = Pick<
  CellMetrics,
  'request_ids' | 'price' | 'input_tokens' | 'output_tokens' | 'trace_ids'
>;

/** What a type whose results come from outside knows of the cell it computes. */
export interface CellContext {
  workspaceId: number;
  sheet: { id: string; tableId: string | null; title: string };
  column: { id: string; title: string; type: string };
  rowIndex: number;
  /** The operation it is computed for. */
  executionId: string;
  /** Aborted when nobody wants the result any more, or this worker may not bring it; its reason is a `WorkAborted`. */
  signal: AbortSignal;
  /** Whether somebody wants no result that was known before, of this cell or of what it has others compute. */
  asksAgain: boolean;
  /** What `dependsOn` of the type gave for this cell; empty for a type without it. */
  dependsOn: string;
  /** What the operation may still spend in US dollars, as far as this worker knows; null for any amount. */
  budget: number | null;
  /** What the calls that were logged for the cell have cost so far, in US dollars, as far as their prices are known. */
  spent(): number;
  /**
   * Stores a call of a model as a request log that says for which cell it was made, and as a span of the cell's trace.
   * Resolves after the commit; rejects when it cannot be stored.
   */
  log(call: TimedCallFields): Promise<LoggedRequest>;
  /**
   * The same for a call in the words of request logs. What the cell took is complete without waiting for it; where the log cannot
   * be stored, the cell has its value all the same and its metrics tell.
   */
  record(call: RecordedCall): Promise<LoggedRequest>;
  /** What others have taken for the cell counts as its own, such as a run of a workflow. */
  count(taken: TakenElsewhere): void;
  /** Says beside the value what a reader of the cell has to know of it, in a sentence. */
  warn(message: string): void;
  /** Does a part of the work as a span of the cell's trace; calls and steps inside it become its children. */
  step<T>(name: string, work: () => Promise<T>, attributes?: JsonObject): Promise<T>;
  /**
   * A step whose result is kept: when the worker dies, the next one finds it, with what it took, and goes on from there. For types
   * that take long; parts follow each other, and each has a name of its own. A part may consist of parts. The result is JSON.
   */
  part<T>(name: string, work: () => Promise<T>, more?: PartOptions): Promise<T>;
  /**
   * Calls again while failures may pass, as the engine does with `compute`. For types that call more than once: what was paid
   * before is not paid again. What is thrown in the end is not tried again. In an operation with `max_cost` every call after the first
   * one of the cell reserves its cost; a call that does not fit fails the cell.
   */
  attempt<T>(call: () => Promise<T>): Promise<T>;
  /**
   * The fetch of the web. It reaches what the installation may reach, follows no redirects, and ends when the signal of the cell
   * is aborted, unless `init` brings another one.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Waits for something that is no work, such as a turn: the time does not count for the time limit of the cell. */
  untimed<T>(wait: Promise<T>): Promise<T>;
  /**
   * Waits for work of others that takes places of cells itself, such as a run of a workflow: the place of this cell is free from now
   * on, and the time does not count. Few cells of a column do so at the same time; the others are not begun.
   */
  away<T>(wait: Promise<T>): Promise<T>;
}
