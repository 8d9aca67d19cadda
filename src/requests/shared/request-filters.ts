import { describeFilterFields, type FieldDescription } from '../../platform/filters/described-fields.js';
import type { FilterFields } from '../../platform/filters/fields.js';
import { describeFilterGroup } from '../../platform/filters/filter-group.schema.js';
import { type FilterGroup, parse, type ParseOptions } from '../../platform/filters/grammar.js';
import { textValues } from '../../platform/filters/json-sql.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { toSql } from '../../platform/filters/to-sql.js';
import { toWholeNumber } from '../../platform/filters/values.js';
import {
  environmentFacet,
  HASHED,
  metadataFacet,
  metadataFacetPrefix,
  metadataKeyFacet,
  metadataKeyPrefix,
  modelFacet,
  promptFacet,
  promptVersionFacet,
  providerFacet,
  statusFacet,
  tagFacet,
  toolFacet,
} from './facets.js';
import { ERROR_GROUP } from './error-group.js';
import { INPUT_TEXT, JSON_ANSWER, LAST_USER_MESSAGE, OUTPUT_TEXT, THINKING_TEXT } from './request-text.js';
import { OUTPUT_SHAPES } from '../../llm/records/conversation-facts.js';
import { outputValues, variableValues } from './listed-values.js';
import { DEFAULT_SCORE } from '../../llm/records/logged-call.js';

const LARGEST_INT = 2 ** 31 - 1;
const VERSIONED = /^(.+) v(\d{1,9})$/s;

/** Ids of the current and deleted prompts of a name. */
export type PromptIds = ReadonlyMap<string, number[]>;

/** Context in which a filter is parsed. */
export interface FilterScope {
  workspaceId: number;
  /** Ids of the names that `promptNamesIn` returns. */
  promptIds: PromptIds;
}

/** Fields by which request logs can be searched, over the columns of `request_logs` without a table name. */
export function requestFields({ workspaceId: ws, promptIds }: FilterScope): FilterFields {
  const idsOf = (name: string) => promptIds.get(name) ?? [];
  return {
    ...PLAIN_FIELDS,
    engine: { class: 'string', sql: 'model', facet: (value) => modelFacet(ws, value) },
    provider_type: { class: 'string', sql: 'provider', facet: (value) => providerFacet(ws, value) },
    status: { class: 'string', sql: 'status', facet: (value) => statusFacet(ws, value) },
    prompt_id: { class: 'string', sql: 'prompt_id::text', facet: (value) => promptFacets(ws, value, idsOf) },
    prompt_name: {
      class: 'string',
      sql: 'prompt_id::text',
      facet: (value) => idsOf(value).map((id) => promptFacet(ws, id)),
    },
    environment: { class: 'string', sql: 'environment', facet: (value) => environmentFacet(ws, value) },
    tags: { class: 'array', sql: 'tags', facet: (value) => tagFacet(ws, value) },
    tool_names: { class: 'array', sql: 'tool_names', facet: (value) => toolFacet(ws, value) },
    user_id: {
      class: 'string',
      sql: `(metadata ->> 'user_id')`,
      facet: (value) => metadataFacet(ws, 'user_id', value),
    },
    metadata: {
      class: 'nested',
      sql: 'metadata',
      values: (key, parameters) => metadataValues(ws, key, parameters),
      facet: (key, value) => metadataFacet(ws, key, value),
    },
    metadata_keys: {
      class: 'array',
      sql: 'ARRAY(SELECT jsonb_object_keys(metadata))',
      facet: (key) => metadataKeyFacet(ws, key),
    },
    scores: { class: 'numbers', sql: 's.score', among: (name, test, values) => scoreTest(ws, { name, test }, values) },
  };
}

const inAnyCase = (id: string): string[] => [id, id.toLowerCase()];
const shapeIs = (shape: number): string => `(output_shape IS NOT DISTINCT FROM ${shape})`;

/** Fields that are the same in every workspace. */
const PLAIN_FIELDS: FilterFields = {
  pl_id: { class: 'identifier', sql: 'id' },
  group_id: { class: 'identifier', sql: 'group_id' },
  origin: { class: 'string', sql: 'origin' },
  api_type: { class: 'string', sql: 'api_type' },
  function_name: { class: 'string', sql: 'function_name' },
  error_type: { class: 'string', sql: 'error_type' },
  error_message: { class: 'text', sql: 'error_message' },
  error_group: { class: 'string', sql: ERROR_GROUP },
  trace_id: { class: 'string', sql: 'trace_id', spellings: inAnyCase },
  span_id: { class: 'string', sql: 'span_id', spellings: inAnyCase },
  has_trace: { class: 'boolean', sql: '(trace_id IS NOT NULL)' },
  prompt_version_number: { class: 'number', sql: 'prompt_version_number' },
  input_tokens: { class: 'number', sql: 'input_tokens' },
  output_tokens: { class: 'number', sql: 'output_tokens' },
  cached_tokens: { class: 'number', sql: 'cached_tokens' },
  thinking_tokens: { class: 'number', sql: 'thinking_tokens' },
  turn_count: { class: 'number', sql: 'turn_count' },
  tool_call_count: { class: 'number', sql: 'tool_call_count' },
  cost: { class: 'number', sql: 'price' },
  latency_ms: { class: 'number', sql: 'latency_ms' },
  request_start_time: { class: 'datetime', sql: 'request_start_time' },
  request_end_time: { class: 'datetime', sql: 'request_end_time' },
  input_variables: {
    class: 'nested',
    sql: 'prompt_input_variables',
    values: variableValues,
    filled: 'cardinality(input_variable_keys) > 0',
  },
  input_variable_keys: { class: 'array', sql: 'input_variable_keys' },
  output: { class: 'nested', sql: 'output_data', values: outputValues },
  output_keys: { class: 'array', sql: 'output_keys' },
  input_text: { class: 'text', sql: INPUT_TEXT },
  output_text: { class: 'text', sql: OUTPUT_TEXT, also: JSON_ANSWER },
  thinking_text: { class: 'text', sql: THINKING_TEXT },
  last_user_message: { class: 'text', sql: LAST_USER_MESSAGE },
  is_plain_text: { class: 'boolean', sql: shapeIs(OUTPUT_SHAPES.TEXT) },
  is_json: { class: 'boolean', sql: shapeIs(OUTPUT_SHAPES.JSON) },
  is_tool_call: { class: 'boolean', sql: shapeIs(OUTPUT_SHAPES.TOOL_CALLS) },
  // Nothing classifies calls yet, so no log has an intent.
  user_intent: { class: 'string', sql: 'NULL::text' },
  agent_intent: { class: 'string', sql: 'NULL::text' },
};

/** An id, a name, or "name v3" for one version of it. */
function promptFacets(workspaceId: number, value: string, idsOf: (name: string) => number[]): string[] {
  const number = toWholeNumber(value);
  if (number !== null) return Number(number) <= LARGEST_INT ? [promptFacet(workspaceId, Number(number))] : [];
  const [, name, version] = VERSIONED.exec(value) ?? [];
  return [
    ...idsOf(value).map((id) => promptFacet(workspaceId, id)),
    ...idsOf(name ?? '').map((id) => promptVersionFacet(workspaceId, { promptId: id, versionNumber: Number(version) })),
  ];
}

const textsInMetadata = textValues('metadata');

/**
 * The value of a metadata key, and all values at the key as a path inside values that hold JSON. Most are in the
 * facets. Only texts longer than a facet and objects have to be read. An object exists when longer paths are listed, or
 * when its path is listed without a value.
 */
function metadataValues(workspaceId: number, key: string, parameters: SqlParameters): string {
  const prefix = metadataFacetPrefix(workspaceId, key);
  const isListed = `facets @> ARRAY[${parameters.add(metadataKeyFacet(workspaceId, key))}::text]`;
  const starts = (text: string) => `starts_with(entry, ${parameters.add(text)}::text)`;
  // The hash of a long path may belong to a path inside an object at the key.
  const isInside = [`${key}.`, HASHED].map((path) => starts(metadataKeyPrefix(workspaceId) + path)).join(' OR ');
  const told =
    `SELECT array_agg(substr(entry, ${[...prefix].length + 1})) FILTER (WHERE ${starts(prefix)}) AS texts, ` +
    `bool_or(${starts(prefix + HASHED)}) AS is_cut, bool_or(${isInside}) AS has_objects FROM unnest(facets) AS entry`;
  return (
    `(ARRAY[metadata ->> ${parameters.add(key)}::text] || (SELECT CASE ` +
    `WHEN told.is_cut OR ${isListed} AND (told.has_objects OR told.texts IS NULL) ` +
    `THEN ${textsInMetadata(key, parameters)} ELSE told.texts END FROM (${told}) AS told))`
  );
}

function scoreTest(
  workspaceId: number,
  { name, test }: { name: string | null; test: string | null },
  parameters: SqlParameters,
): string {
  const conditions = [`s.workspace_id = ${parameters.add(workspaceId)}::int`];
  const wanted = name ?? (test === null ? null : DEFAULT_SCORE);
  if (wanted !== null) conditions.push(`s.name = ${parameters.add(wanted)}::text`);
  if (test !== null) conditions.push(test);
  return `id IN (SELECT s.log_id FROM request_scores s WHERE ${conditions.join(' AND ')})`;
}

const CHECKED_ONLY: FilterScope = { workspaceId: 0, promptIds: new Map() };

const FIELDS = requestFields(CHECKED_ONLY);

/** The fields with the descriptions that clients see. */
export const describeRequestFields = (): FieldDescription[] => describeFilterFields(FIELDS);

/** The values of a field in a log, over the columns of `request_logs`: a text[] when it has `many`. */
export function valuesOf(name: string): { sql: string; many: boolean } {
  const field = FIELDS[name]!;
  if (!('sql' in field)) throw new Error(`The field ${name} has no column.`);
  return { sql: field.sql, many: field.class === 'array' };
}

/** The component of the OpenAPI document that describes the filter groups of request logs. */
export const REQUEST_FILTER_GROUP = describeFilterGroup('Request', Object.keys(FIELDS), ['AND', 'OR']);

/**
 * Parses a filter group; null and undefined give null. `at` is the location of the group in the request. Throws
 * `FilterSyntaxError` (422) and `FilterSemanticsError` (400).
 */
export function parseRequestFilter(input: unknown, at: ParseOptions['at']): FilterGroup | null {
  if (input === undefined || input === null) return null;
  return parse(input, { fields: FIELDS, at });
}

/** Names of prompts in a filter. Their ids are needed for its condition. */
export function promptNamesIn(group: FilterGroup | null): string[] {
  return (group?.filters ?? []).flatMap((item) => {
    if ('filters' in item) return promptNamesIn(item);
    if (item.condition.kind !== 'one_of' || !['prompt_id', 'prompt_name'].includes(item.field)) return [];
    return item.condition.values.flatMap((value) => [value, VERSIONED.exec(value)?.[1] ?? value]);
  });
}

/** The condition of a filter on `request_logs`; its values go into `parameters`. The caller adds the workspace. */
export function requestFilterSql(group: FilterGroup | null, scope: FilterScope, parameters: SqlParameters): string {
  return group ? toSql(group, requestFields(scope), parameters) : 'TRUE';
}
