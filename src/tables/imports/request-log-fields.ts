import { inputText, type LogPart, type LogParts, outputText } from '../../requests/index.js';
import { asText } from '../grid/column-type/values.js';

/** What of other domains the facts of a log need. */
export interface RequestLogContext {
  promptNames: Map<number, string>;
}

/** How a column gets its text from a log, and which parts of the log that takes. null where the log does not have it. */
export interface LogReader {
  parts: LogPart[];
  read(log: LogParts, context: RequestLogContext): string | number | null;
}

/** A part that is the text itself. */
const plain = (part: LogPart): LogReader => ({ parts: [part], read: (log) => log[part] as string | number | null });
const json = (part: LogPart): LogReader => ({ parts: [part], read: (log) => asText(log[part] as string[]) });
const time = (part: 'requestStartTime' | 'requestEndTime'): LogReader => ({
  parts: [part],
  read: (log) => log[part].toISOString(),
});

export const INPUT: LogReader = { parts: ['input'], read: (log) => inputText(log.input) };
export const OUTPUT: LogReader = { parts: ['output'], read: (log) => outputText(log.output) };

/** The facts of a request log that an import can make a column of, by the name callers use. */
const READERS: Record<string, LogReader> = {
  request_id: plain('id'),
  prompt_name: { parts: ['promptId'], read: (log, { promptNames }) => promptNames.get(log.promptId ?? 0) ?? null },
  prompt_id: plain('promptId'),
  prompt_version_number: plain('promptVersionNumber'),
  provider_type: plain('provider'),
  engine: plain('model'),
  input_tokens: plain('inputTokens'),
  output_tokens: plain('outputTokens'),
  cost: plain('price'),
  latency_ms: plain('latencyMs'),
  request_start_time: time('requestStartTime'),
  request_end_time: time('requestEndTime'),
  status: plain('status'),
  tags: json('tags'),
  metadata: json('metadata'),
  scores: json('scores'),
  // The score that has no name of its own.
  score: { parts: ['scores'], read: (log) => log.scores.default ?? null },
  input_text: INPUT,
  output_text: OUTPUT,
  tool_names: json('toolNames'),
  trace_id: plain('traceId'),
  input_variables: json('promptInputVariables'),
};

const METADATA_KEY = /^metadata\.(.+)$/s;

export const REQUEST_LOG_FIELDS = Object.keys(READERS);

export function isRequestLogField(name: string): boolean {
  return Object.hasOwn(READERS, name) || METADATA_KEY.test(name);
}

/** The reader of a fact whose name `isRequestLogField`. */
export function fieldReader(name: string): LogReader {
  const key = METADATA_KEY.exec(name)?.[1];
  return key === undefined ? READERS[name]! : metadataReader(key);
}

function metadataReader(key: string): LogReader {
  return { parts: ['metadata'], read: ({ metadata }) => (Object.hasOwn(metadata, key) ? metadata[key]! : null) };
}

export function variableReader(name: string): LogReader {
  return {
    parts: ['promptInputVariables'],
    read: ({ promptInputVariables: given }) => (Object.hasOwn(given, name) ? asText(given[name]) : null),
  };
}
