import type { MadeCall } from '../llm/index.js';
import type { JsonObject } from '../platform/json.js';
import type { CalledModel, LoggedTrial } from './trial-logs.js';

/** A trial that is ready to be made. */
export interface TrialToMake {
  traceId: string;
  called: CalledModel;
  kwargs: JsonObject;
  credential: string | null;
  /** What went wrong while variables were filled in; null when nothing did. */
  warning: string | null;
}

/** How a trial went. */
export interface Trial {
  traceId: string;
  made: MadeCall;
  /** null for an answer that was not streamed. */
  firstPieceMs: number | null;
  log: LoggedTrial;
  /** What the reader has to know of the answer; null for nothing. */
  warning: string | null;
}
