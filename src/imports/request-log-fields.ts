import { inputText, outputText } from '../llm/records/conversation.js';
import type { LogPart, LogParts } from '../requests/index.js';
import { withoutNoise } from '../platform/numbers.js';
import { asText } from '../grid/column-type/values.js';
import type { ImportedValue } from './importer.js';

/** Data of other domains for the values of logs. */
export interface RequestLogContext {
  promptNames: Map<number, string>;
}

/**
 * Reads the value of a column from a log, and names the parts of the log it needs. null where the log does not have it.
 */
export interface LogReader {
  parts: LogPart[];
  read(log: LogParts, context: RequestLogContext): ImportedValue;
}

/** Reads a text. */
const plain = (part: LogPart): LogReader => ({ parts: [part], read: (log) => log[part] as string | number | null });
/** Reads a number, which the database may return as text. */
const number = (part: LogPart): LogReader => ({ parts: [part], read: (log) => numberOf(log[part]) });
const numberOf = (value: unknown) => (value === null ? null : withoutNoise(Number(value)));
const json = (part: LogPart): LogReader => ({ parts: [part], read: (log) => asText(log[part] as string[]) });
const time = (part: 'requestStartTime' | 'requestEndTime'): LogReader => ({
  parts: [part],
  read: (log) => log[part].toISOString(),
});

export const INPUT: LogReader = { parts: ['input'], read: (log) => inputText(log.input) };
export const OUTPUT: LogReader = { parts: ['output'], read: (log) => outputText(log.output) };

/** The fields of a request log that an import can use as columns, by the name in requests. */
const READERS: Record<string, LogReader> = {
  request_id: number('id'),
  prompt_name: { parts: ['promptId'], read: (log, { promptNames }) => promptNames.get(log.promptId ?? 0) ?? null },
  prompt_id: number('promptId'),
  prompt_version_number: number('promptVersionNumber'),
  provider_type: plain('provider'),
  engine: plain('model'),
  input_tokens: number('inputTokens'),
  output_tokens: number('outputTokens'),
  cost: number('price'),
  latency_ms: number('latencyMs'),
  request_start_time: time('requestStartTime'),
  request_end_time: time('requestEndTime'),
  status: plain('status'),
  error: { parts: ['errorMessage', 'errorType'], read: (log) => log.errorMessage || log.errorType || null },
  tags: json('tags'),
  metadata: json('metadata'),
  scores: json('scores'),
  // The default score, which has no name.
  score: { parts: ['scores'], read: (log) => numberOf(log.scores.default ?? null) },
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

/** The reader of a field with a name of `isRequestLogField`. */
export function fieldReader(name: string): LogReader {
  const key = METADATA_KEY.exec(name)?.[1];
  return key === undefined ? READERS[name]! : metadataReader(key);
}

function metadataReader(key: string): LogReader {
  return { parts: ['metadata'], read: ({ metadata }) => (Object.hasOwn(metadata, key) ? metadata[key]! : null) };
}

const SCORE_NAME = /^score\.(.+)$/s;

/** Names that datasets use for some values of logs. */
const DATASET_READERS: Record<string, LogReader> = {
  tags: READERS.tags!,
  promptlayer_url: { parts: ['id'], read: ({ id }) => `/api/public/v2/requests/${id}` },
  prompt: INPUT,
  response: OUTPUT,
};

/** The columns of every dataset of logs, in this order after all others. */
export const DATASET_FIELDS = Object.keys(DATASET_READERS);

/** The reader of a column of a dataset: one of `DATASET_FIELDS`, `metadata.<key>` or `score.<name>`. */
export function datasetReader(title: string): LogReader {
  const key = METADATA_KEY.exec(title)?.[1];
  if (key !== undefined) return metadataReader(key);
  const name = SCORE_NAME.exec(title)?.[1];
  return name === undefined ? DATASET_READERS[title]! : scoreReader(name);
}

function scoreReader(name: string): LogReader {
  return { parts: ['scores'], read: ({ scores }) => (Object.hasOwn(scores, name) ? numberOf(scores[name]) : null) };
}

export function variableReader(name: string): LogReader {
  return {
    parts: ['promptInputVariables'],
    read: ({ promptInputVariables: given }) => (Object.hasOwn(given, name) ? asText(given[name]) : null),
  };
}
