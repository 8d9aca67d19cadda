import { FilterSemanticsError } from '../platform/filters/errors.js';
import type { FilterFields } from '../platform/filters/fields.js';
import { parse, type ParseOptions } from '../platform/filters/grammar.js';
import { flatMapKeys, flatMapValues, jsonPaths, jsonValues } from '../platform/filters/json-sql.js';
import type { SqlParameters } from '../platform/filters/sql-parameters.js';
import { toSql } from '../platform/filters/to-sql.js';
import { safeText } from '../platform/safe-text.js';
import { metadataFacet, modelFacet, providerFacet, statusFacet, tagFacet } from './facets.js';
import { INPUT_TEXT, IS_TOOL_CALL, OUTPUT_TEXT, TOOL_NAMES, WORDS_OF_CALL } from './request-text.js';

const LONGEST_QUERY = 1000;
const MAX_WORDS = 50;
const APOSTROPHES = `'’‘ʼ`;

/**
 * What a request log can be searched by, over the columns of `request_logs` without a table name. */
const REQUEST_FIELDS: FilterFields = {
  pl_id: { class: 'identifier', sql: 'id' },
  prompt_id: { class: 'identifier', sql: 'prompt_id' },
  engine: { class: 'string', sql: 'model', facet: modelFacet },
  provider_type: { class: 'string', sql: 'provider', facet: providerFacet },
  status: { class: 'string', sql: 'status', facet: statusFacet },
  api_type: { class: 'string', sql: 'api_type' },
  error_type: { class: 'string', sql: 'error_type' },
  trace_id: { class: 'string', sql: 'trace_id' },
  span_id: { class: 'string', sql: 'span_id' },
  has_trace: { class: 'boolean', sql: '(trace_id IS NOT NULL)' },
  prompt_version_number: { class: 'number', sql: 'prompt_version_number' },
  input_tokens: { class: 'number', sql: 'input_tokens' },
  output_tokens: { class: 'number', sql: 'output_tokens' },
  cached_tokens: { class: 'number', sql: 'cached_tokens' },
  thinking_tokens: { class: 'number', sql: 'thinking_tokens' },
  cost: { class: 'number', sql: 'price' },
  latency_ms: { class: 'number', sql: 'latency_ms' },
  request_start_time: { class: 'datetime', sql: 'request_start_time' },
  request_end_time: { class: 'datetime', sql: 'request_end_time' },
  tags: { class: 'array', sql: 'tags', facet: tagFacet },
  metadata: {
    class: 'nested',
    sql: 'metadata',
    values: flatMapValues('metadata'),
    facet: metadataFacet,
  },
  metadata_keys: { class: 'array', sql: flatMapKeys('metadata') },
  input_variables: {
    class: 'nested',
    sql: 'prompt_input_variables',
    values: jsonValues('prompt_input_variables'),
  },
  input_variable_keys: { class: 'array', sql: jsonPaths('prompt_input_variables') },
  input_text: { class: 'text', sql: INPUT_TEXT },
  output_text: { class: 'text', sql: OUTPUT_TEXT },
  tool_names: { class: 'array', sql: TOOL_NAMES },
  is_tool_call: { class: 'boolean', sql: IS_TOOL_CALL },
  is_json: { class: 'unavailable' },
  is_plain_text: { class: 'unavailable' },
  output: { class: 'unavailable' },
  output_keys: { class: 'unavailable' },
  user_intent: { class: 'unavailable' },
  agent_intent: { class: 'unavailable' },
};

/**
 * The condition on `request_logs` that a filter group stands for; the values go into `parameters`. Null and undefined
 * filter nothing. `at` is where the group stands in the request. The caller adds the workspace.
 * Throws `FilterSyntaxError` (422) and `FilterSemanticsError` (400).
 */
export function requestFilter(input: unknown, at: ParseOptions['at'], parameters: SqlParameters): string {
  if (input === undefined || input === null) return 'TRUE';
  return toSql(parse(input, { fields: REQUEST_FIELDS, at }), REQUEST_FIELDS, parameters);
}

/**
 * The condition on `request_logs` that the free text `q` stands for: every word of it begins a word of the input or the
 * output, in any order and letter case; "dont" and "don't" are the same. A symbol without letters is looked for as it
 * is. Blank, null and undefined filter nothing. Throws `FilterSemanticsError` when it is too long.
 */
export function requestTextFilter(q: string | null | undefined, parameters: SqlParameters): string {
  const patterns = wordPatterns(q ?? '');
  if (patterns.length === 0) return 'TRUE';
  const text = `translate(${WORDS_OF_CALL}, '${APOSTROPHES.replace("'", "''")}', '')`;
  return `(${text} ~* ALL (${parameters.add(patterns)}::text[]))`;
}

/** Regular expressions of the database: letters, digits and "_" mean themselves, and `***=` makes all symbols do so. */
function wordPatterns(q: string): string[] {
  if (q.length > LONGEST_QUERY) {
    throw new FilterSemanticsError(`A text search takes up to ${LONGEST_QUERY} characters.`);
  }
  const patterns = safeText(q)
    .replace(new RegExp(`[${APOSTROPHES}]`, 'g'), '')
    .split(/\s+/)
    .filter((chunk) => chunk !== '')
    .flatMap(patternsOfChunk);
  if (patterns.length > MAX_WORDS) throw new FilterSemanticsError(`A text search takes up to ${MAX_WORDS} words.`);
  return patterns;
}

/** The classes are what the database takes for parts of a word; marks are kept where they belong to a letter. */
function patternsOfChunk(chunk: string): string[] {
  const words = chunk.match(/[\p{L}\p{Nd}_][\p{L}\p{Nd}\p{M}_]*/gu) ?? [];
  return words.length > 0 ? words.map((word) => `\\m${word}`) : [`***=${chunk}`];
}
