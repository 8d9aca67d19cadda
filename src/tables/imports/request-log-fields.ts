import { inputText, outputText, type RequestLog } from '../../requests/index.js';
import { asText } from '../column-types/values.js';

/** What of other domains the facts of a log need. */
export interface RequestLogContext {
  promptNames: Map<number, string>;
}

type Reader = (log: RequestLog, context: RequestLogContext) => string | number | null;

/** The facts of a request log that an import can make a column of, by the name callers use. */
const READERS: Record<string, Reader> = {
  request_id: (log) => log.id,
  prompt_name: (log, { promptNames }) => promptNames.get(log.promptId ?? 0) ?? null,
  prompt_id: (log) => log.promptId,
  prompt_version_number: (log) => log.promptVersionNumber,
  provider_type: (log) => log.provider,
  engine: (log) => log.model,
  input_tokens: (log) => log.inputTokens,
  output_tokens: (log) => log.outputTokens,
  cost: (log) => log.price,
  latency_ms: (log) => log.latencyMs,
  request_start_time: (log) => log.requestStartTime.toISOString(),
  request_end_time: (log) => log.requestEndTime.toISOString(),
  status: (log) => log.status,
  tags: (log) => asText(log.tags),
  metadata: (log) => asText(log.metadata),
  input_text: (log) => inputText(log.input),
  output_text: (log) => outputText(log.output),
  trace_id: (log) => log.traceId,
  input_variables: (log) => asText(log.promptInputVariables),
};

const METADATA_KEY = /^metadata\.(.+)$/s;

export const REQUEST_LOG_FIELDS = Object.keys(READERS);

export function isRequestLogField(name: string): boolean {
  return Object.hasOwn(READERS, name) || METADATA_KEY.test(name);
}

/** The text of one fact; null where the log does not have it. */
export function readRequestLogField(log: RequestLog, name: string, context: RequestLogContext): string | null {
  const key = METADATA_KEY.exec(name)?.[1];
  const value = key === undefined ? READERS[name]!(log, context) : (log.metadata[key] ?? null);
  return value === null ? null : String(value);
}
