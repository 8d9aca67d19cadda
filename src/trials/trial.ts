import type { MadeCall } from '../llm/index.js';
import type { JsonObject } from '../platform/json.js';
import type { CalledModel, LoggedTrial } from './trial-logs.js';

/** A trial that is ready to be made. */
export interface TrialToMake {
  traceId: string;
  called: CalledModel;
  kwargs: JsonObject;
  credential: string | null;
  /** Problems while filling in variables; null if there were none. */
  warning: string | null;
}

/** Result of a trial. */
export interface Trial {
  traceId: string;
  made: MadeCall;
  /** null for an answer that was not streamed. */
  firstPieceMs: number | null;
  log: LoggedTrial;
  /** Warning about the answer; null if there is none. */
  warning: string | null;
}
