import { describeFilterGroup } from '../../platform/filters/filter-group.schema.js';
import type { FieldClass, FilterField } from '../../platform/filters/fields.js';
import { flatMapValues, itemsInText, jsonValues, textValues } from '../../platform/filters/json-sql.js';
import { LOGICS } from '../../platform/filters/shape.js';
import { describeFilterFields, type FieldDescription } from '../../platform/filters/described-fields.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { VALUES } from './trace-document.js';
import { facet, type FacetKind, keyedFacet, type KeyedFacetKind, type Measure } from './trace-facets.js';

/** The rows that a field of a span is read from: `spans` s, `span_search` d, `span_sources` r. */
export type SpanAlias = 's' | 'd' | 'r';

/** The workspace of the facets. */
export interface FacetedWorkspace {
  workspaceId: number;
  /** Keys at which resources can only have attributes with just these names; unknown for all other keys. */
  plainResourceKeys?: ReadonlySet<string>;
}

/** The entry of a value in the facets; null when such a value has none. */
export type FacetOf = (workspace: FacetedWorkspace, value: string, key: string | null) => string | null;

interface CommonField {
  field: FilterField;
  /** The trace carries this entry in its facets when it, or one of its spans, has the value. */
  facet?: FacetOf;
  /** How a value is written in the database. */
  normalize?: (value: string) => string;
  /** Texts by path, where the path of an object has none. */
  paths?: string;
}

/** A fact about a trace, over `traces` t and `trace_search` x. */
export interface TraceLevelField extends CommonField {
  level: 'trace';
  /** False when `traces` alone has it. */
  searched: boolean;
  /** The number of the index that traces are sorted and compared by. */
  value?: string;
  /**
   * Size of one unit of the field in that number. Set where the database compares decimals or other units, so values
   * close to a limit are checked in the rows. Without it both numbers are equal.
   */
  unit?: number;
}

/** A fact about a span. */
export interface SpanLevelField extends CommonField {
  level: 'span';
  from: SpanAlias[];
  /** The span itself carries the entry in its facets, too. */
  ownFacet?: boolean;
  /** The span carries the size of this number in its facets. */
  measure?: Measure;
  /** The words of this text are words of the trace. */
  indexedText?: boolean;
}

export type TraceField = TraceLevelField | SpanLevelField;

/** A number or a time; a `datetime` is in nanoseconds here. */
const measure = (sql: string, value: string, fieldClass: 'number' | 'datetime' = 'number'): TraceLevelField => ({
  level: 'trace',
  searched: false,
  field: { class: fieldClass, sql },
  value,
});

const spanMeasure = (sql: string, measure?: Measure): SpanLevelField => ({
  level: 'span',
  from: ['d'],
  field: { class: 'number', sql },
  measure,
});

const plain = (kind: FacetKind): FacetOf => {
  return ({ workspaceId }, value) => facet(workspaceId, kind, value);
};

const keyed = (kind: KeyedFacetKind): FacetOf => {
  return ({ workspaceId }, value, key) => (key === null ? null : keyedFacet(workspaceId, kind, { key, value }));
};

const pair = (kind: FacetKind): FacetOf => {
  return ({ workspaceId }, value, key) => facet(workspaceId, kind, key === null ? value : `${key}:${value}`);
};

/** Only attributes of resources have entries, not the values inside them. */
const ofResource: FacetOf = (workspace, value, key) =>
  key !== null && workspace.plainResourceKeys?.has(key) ? keyed('r')(workspace, value, key) : null;

const searched = (field: FilterField, facetOf?: FacetOf): TraceLevelField => ({
  level: 'trace',
  searched: true,
  field,
  facet: facetOf,
});

/** A value that many spans share. */
const shared = (kind: FacetKind, field: FilterField): SpanLevelField => ({
  level: 'span',
  from: ['d'],
  field,
  facet: plain(kind),
  ownFacet: true,
});

const ofSpan = (from: SpanAlias[], field: FilterField): SpanLevelField => ({ level: 'span', from, field });

/** Clients write "StatusCode.OK" as well as "OK". */
const withoutPrefix = (value: string): string => value.replace(/^(?:StatusCode|SpanKind)\./i, '').toUpperCase();

/** Ids of OpenTelemetry are stored in lower case. */
const canonicalId = (value: string): string =>
  /^(?:[0-9a-f]{16}|[0-9a-f]{32})$/i.test(value) ? value.toLowerCase() : value;

/** The texts at a path of a column of `FlatValues`; all texts for the empty path. */
function flatTexts(column: string): (key: string, parameters: SqlParameters) => string {
  return (key, parameters) =>
    key === ''
      ? `ARRAY(SELECT jsonb_array_elements_text(at_path.texts) FROM jsonb_each(${column}) AS at_path(path, texts))`
      : `ARRAY(SELECT jsonb_array_elements_text(${column} -> ${parameters.add(key)}::text))`;
}

/**
 * The values of the attribute with just this key; if there is none, the values that `otherwise` finds at the key as a
 * path.
 */
function attributeTexts(column: string, otherwise: (key: string, parameters: SqlParameters) => string) {
  return (key: string, parameters: SqlParameters): string => {
    const place = `${parameters.add(key)}::text`;
    const own =
      `ARRAY(SELECT told.content FROM jsonb_path_query(${column} -> ${place}, 'lax $[*]') AS own(item), ` +
      `LATERAL unnest(texts_of_json(own.item #>> '{}')) AS told(content) WHERE own.item NOT IN ('null', '{}', '[]'))`;
    return `(CASE WHEN ${column} ? ${place} THEN ${own} ELSE ${otherwise(key, parameters)} END)`;
  };
}

/** The value of a metadata key, and the values at this path inside JSON texts. */
function metadataValues(key: string, parameters: SqlParameters): string {
  const inside = key.includes('.') ? textValues('x.metadata') : itemsInText('x.metadata');
  return `(${flatMapValues('x.metadata')(key, parameters)} || ${inside(key, parameters)})`;
}

/** Values inside attributes of a resource, in objects or in JSON text. */
function resourceValues(key: string, parameters: SqlParameters): string {
  const inObjects = jsonValues(RESOURCE)(key, parameters);
  // Only a key with a dot can lead into an attribute.
  return key.includes('.') ? `(${inObjects} || ${textValues(RESOURCE)(key, parameters)})` : inObjects;
}

/** Null while it runs: the greater of 0 and null would be 0. */
const milliseconds = (row: 'd' | 't'): string =>
  `(CASE WHEN ${row}.end_ns IS NOT NULL THEN greatest(0, ${row}.end_ns - ${row}.start_ns) / 1e6 END)`;
/** A version that is a whole number, as such. */
const WORKFLOW_VERSION = `(CASE WHEN d.workflow_version ~ '^[0-9]{1,9}$' THEN d.workflow_version::integer END)`;
const RESOURCE = `(r.resource -> 'attributes')`;

/** Condition that a trace has a score, of this name where one is given. */
function scoreTest(name: string | null, test: string | null, parameters: SqlParameters): string {
  const conditions = ['c.workspace_id = t.workspace_id', 'c.trace_id = t.trace_id'];
  if (name !== null) conditions.push(`c.name = ${parameters.add(name)}::text`);
  if (test !== null) conditions.push(test);
  return `EXISTS (SELECT FROM trace_scores c WHERE ${conditions.join(' AND ')})`;
}

/** Fields that traces can be searched by. */
export const TRACE_FIELDS: Readonly<Record<string, TraceField>> = {
  trace_id: { level: 'trace', searched: false, field: { class: 'string', sql: 't.trace_id' }, normalize: canonicalId },
  trace_name: searched({ class: 'name', sql: 'x.name' }),
  trace_status: {
    ...searched({ class: 'string', sql: 'x.status' }, plain('trace-status')),
    normalize: withoutPrefix,
    value: VALUES.status,
  },
  trace_start: measure('t.start_ns', VALUES.start, 'datetime'),
  trace_end: measure('t.end_ns', VALUES.end, 'datetime'),
  trace_duration_ms: { ...measure(milliseconds('t'), VALUES.duration), unit: 1e6 },
  trace_total_cost_usd: { ...measure('t.cost', VALUES.cost), unit: 1 },
  trace_total_tokens: measure('(t.input_tokens + t.output_tokens)', VALUES.tokens),
  trace_input_tokens: measure('t.input_tokens', VALUES.inputTokens),
  trace_output_tokens: measure('t.output_tokens', VALUES.outputTokens),
  trace_span_count: measure('t.span_count', VALUES.spanCount),
  trace_depth: { ...searched({ class: 'number', sql: 'x.depth' }), value: VALUES.depth },
  trace_models_used: searched({ class: 'array', sql: 'x.models_used' }, plain('model')),
  trace_tool_names: searched({ class: 'array', sql: 'x.tool_names' }, plain('tool')),
  trace_prompt_ids: searched({ class: 'array', sql: 'x.prompt_ids::text[]' }, plain('prompt')),
  trace_prompt_versions: searched({ class: 'pair', sql: 'x.prompt_versions' }, pair('prompt-version')),
  trace_workflow_ids: searched({ class: 'array', sql: 'x.workflow_ids' }, plain('workflow')),
  trace_workflow_versions: searched({ class: 'pair', sql: 'x.workflow_versions' }, pair('workflow-version')),
  trace_tags: searched({ class: 'array', sql: 'x.tags' }, plain('tag')),
  trace_metadata_keys: searched(
    { class: 'array', sql: 'ARRAY(SELECT jsonb_object_keys(x.metadata))' },
    plain('metadata-key'),
  ),
  trace_metadata: searched({ class: 'nested', sql: 'x.metadata', values: metadataValues }, keyed('m')),
  trace_user_id: searched({ class: 'string', sql: 'x.user_id' }, plain('user')),
  user_id: searched({ class: 'string', sql: 'x.user_id' }, plain('user')),
  trace_session_id: searched({ class: 'string', sql: 'x.session_id' }, plain('session')),
  trace_origin: { level: 'trace', searched: false, field: { class: 'string', sql: 't.origin' } },
  trace_environment: searched({ class: 'string', sql: 't.environment' }, plain('environment')),
  trace_scores: {
    level: 'trace',
    searched: false,
    field: { class: 'numbers', sql: 'c.score', among: scoreTest },
  },
  is_closed: { level: 'trace', searched: false, field: { class: 'boolean', sql: '(t.closed_at IS NOT NULL)' } },

  span_id: { ...ofSpan(['d'], { class: 'string', sql: 'd.span_id' }), normalize: canonicalId },
  span_parent_id: { ...ofSpan(['s'], { class: 'string', sql: 's.parent_id' }), normalize: canonicalId },
  span_name: { ...shared('name', { class: 'name', sql: 'd.name' }), indexedText: true },
  span_type: shared('type', { class: 'string', sql: 's.span_type' }),
  node_type: shared('type', { class: 'string', sql: 's.span_type' }),
  span_kind: { ...shared('kind', { class: 'string', sql: 's.kind' }), normalize: withoutPrefix },
  span_status: { ...shared('status', { class: 'string', sql: 's.status' }), normalize: withoutPrefix },
  span_start: ofSpan(['d'], { class: 'datetime', sql: 'd.start_ns' }),
  span_end: ofSpan(['d'], { class: 'datetime', sql: 'd.end_ns' }),
  span_duration_ms: spanMeasure(milliseconds('d'), 'duration'),
  span_cost_usd: spanMeasure('d.cost', 'cost'),
  span_tokens: spanMeasure(
    '(CASE WHEN num_nonnulls(d.input_tokens, d.output_tokens) > 0 THEN coalesce(d.input_tokens, 0)::bigint + coalesce(d.output_tokens, 0) END)',
    'tokens',
  ),
  span_input_tokens: spanMeasure('d.input_tokens'),
  span_output_tokens: spanMeasure('d.output_tokens'),
  span_model: shared('model', { class: 'string', sql: 's.model' }),
  span_provider: shared('provider', { class: 'string', sql: 's.provider' }),
  span_tool_name: shared('tool', { class: 'string', sql: 'd.tool_name' }),
  span_prompt_id: shared('prompt', { class: 'ordinal', sql: 'd.prompt_id' }),
  span_prompt_version: ofSpan(['d'], { class: 'ordinal', sql: 'd.prompt_version_number' }),
  span_workflow_id: shared('workflow', { class: 'string', sql: 'd.workflow_id' }),
  span_workflow_version: ofSpan(['d'], { class: 'ordinal', sql: WORKFLOW_VERSION }),
  subtree_prompt_ids: {
    ...ofSpan(['d'], { class: 'array', sql: 'd.subtree_prompt_ids::text[]' }),
    facet: plain('prompt'),
  },
  subtree_workflow_ids: {
    ...ofSpan(['d'], { class: 'array', sql: 'd.subtree_workflow_ids' }),
    facet: plain('workflow'),
  },
  span_input: { ...ofSpan(['d'], { class: 'text', sql: 'd.input' }), indexedText: true },
  span_output: { ...ofSpan(['d'], { class: 'text', sql: 'd.output', also: 'd.answer' }), indexedText: true },
  span_exception: ofSpan(['d'], { class: 'text', sql: 'd.exception' }),
  span_output_keys: { ...ofSpan(['d'], { class: 'array', sql: 'd.output_keys' }), facet: plain('output-key') },
  span_output_values: {
    ...ofSpan(['d'], { class: 'loose', sql: 'd.output_values', values: flatTexts('d.output_values') }),
    paths: 'd.output_values',
  },
  span_attributes: {
    ...ofSpan(['s', 'd'], {
      class: 'nested',
      sql: 's.attributes',
      values: attributeTexts('s.attributes', flatTexts('d.attributes_deep')),
    }),
    facet: keyed('a'),
    paths: 'd.attributes_deep',
  },
  span_resource: {
    ...ofSpan(['s', 'r'], { class: 'nested', sql: RESOURCE, values: attributeTexts(RESOURCE, resourceValues) }),
    facet: ofResource,
  },
  span_input_variables: {
    ...ofSpan(['d'], { class: 'nested', sql: 'd.input_variables', values: flatTexts('d.input_variables') }),
    facet: keyed('v'),
    paths: 'd.input_variables',
  },
  has_request_log: ofSpan(['s'], { class: 'boolean', sql: '(s.request_log_id IS NOT NULL)' }),
};

/** The classes of the fields, as the grammar wants them. */
export const TRACE_FIELD_CLASSES: Readonly<Record<string, { class: FieldClass }>> = Object.fromEntries(
  Object.entries(TRACE_FIELDS).map(([name, { field }]) => [name, { class: field.class }]),
);

/** The component of the OpenAPI document that describes the filter groups of traces. */
export const TRACE_FILTER_GROUP = describeFilterGroup('Trace', Object.keys(TRACE_FIELDS), LOGICS);

/** A field, and whether it is one of a trace or of a span. */
export interface TraceFieldDescription extends FieldDescription {
  level: 'trace' | 'span';
}

export function describeFields(): TraceFieldDescription[] {
  return describeFilterFields(TRACE_FIELD_CLASSES).map((described) => ({
    ...described,
    level: TRACE_FIELDS[described.field]!.level,
  }));
}
