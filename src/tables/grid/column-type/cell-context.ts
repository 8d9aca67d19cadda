import type { TimedCallFields } from '../../../requests/index.js';

/** A call of a model that was logged for a cell. */
export interface LoggedRequest {
  requestLogId: number;
  /** US dollars; null when no rate is known. */
  price: number | null;
}

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
  /** What the operation may still spend in US dollars, as far as this worker knows; null for any amount. */
  budget: number | null;
  /** Stores a call of a model as a request log that says for which cell it was made. Resolves after the commit. */
  log(call: TimedCallFields): Promise<LoggedRequest>;
}
