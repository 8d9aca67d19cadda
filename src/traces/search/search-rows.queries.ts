import type { TraceKey } from '../ingestion/incoming-span.js';
import type { EntityManager } from 'typeorm';
import {
  arrayLiteral,
  boolArray,
  float8Array,
  int4Array,
  int8Array,
  jsonbArray,
  textArray,
} from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement } from '../../platform/database/statement.js';
import { TRACE_HOURS } from '../shared/trace-hours.js';
import type { SpanFindings } from './span-findings.js';
import type { SearchedSpan, SpanKey } from './spans-to-search.queries.js';
import type { TraceSummary } from './trace-digest.js';
import type { FacetsOfTrace } from './trace-facet-digest.js';
import type { Subtree } from './trace-shape.js';

export interface SpanSearchRow extends SpanKey {
  span: SearchedSpan;
  findings: SpanFindings;
  facets: string[];
}

const SPAN_COLUMNS = [
  'start_ns',
  'end_ns',
  'input_tokens',
  'output_tokens',
  'cost',
  'prompt_id',
  'prompt_version_number',
  'name',
  'tool_name',
  'workflow_id',
  'workflow_version',
  'facets',
  'output_keys',
  'output_values',
  'input_variables',
  'attributes_deep',
  'exception',
  'input',
  'output',
  'answer',
];

const SPAN_VALUES = SPAN_COLUMNS.map((column) =>
  column === 'facets' || column === 'output_keys' ? `n.${column}::text[]` : `n.${column}`,
);

/** An unchanged span is left alone: in a growing trace most spans are unchanged. */
const UPSERT_SPANS = new Statement(`
  INSERT INTO span_search (workspace_id, trace_id, span_id, ${SPAN_COLUMNS.join(', ')}, subtree_prompt_ids, subtree_workflow_ids)
  SELECT $1, n.trace_id, n.span_id, ${SPAN_VALUES.join(', ')}, '{}', '{}'
    FROM unnest($2::text[], $3::text[],
      $4::bigint[], $5::bigint[], $6::int[], $7::int[], $8::float8[], $9::int[], $10::int[], $11::text[],
      $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::jsonb[], $18::jsonb[], $19::jsonb[],
      $20::text[], $21::text[], $22::text[], $23::text[])
      AS n (trace_id, span_id, ${SPAN_COLUMNS.join(', ')})
  ON CONFLICT (workspace_id, trace_id, span_id) DO UPDATE SET
    ${SPAN_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
  WHERE (${SPAN_COLUMNS.map((column) => `span_search.${column}`).join(', ')})
    IS DISTINCT FROM (${SPAN_COLUMNS.map((column) => `excluded.${column}`).join(', ')})`);

export async function upsertSpanSearch(tx: EntityManager, rows: SpanSearchRow[]): Promise<void> {
  if (rows.length === 0) return;
  const found = rows.map((row) => row.findings);
  const json = (value: object | null) => value && JSON.stringify(value);
  await UPSERT_SPANS.run(tx, [
    ...spanKeys(rows),
    ...plainColumns(rows.map((row) => row.span)),
    textArray(found.map((each) => each.toolName)),
    textArray(found.map((each) => each.workflow?.id)),
    textArray(found.map((each) => each.workflow?.version)),
    textArray(rows.map((row) => arrayLiteral(row.facets))),
    textArray(found.map((each) => arrayLiteral(Object.keys(each.outputValues ?? {})))),
    jsonbArray(found.map((each) => json(each.outputValues))),
    jsonbArray(found.map((each) => json(each.inputVariables))),
    jsonbArray(found.map((each) => json(each.attributesDeep))),
    textArray(found.map((each) => each.exception)),
    textArray(found.map((each) => each.input)),
    textArray(found.map((each) => each.output)),
    textArray(found.map((each) => each.answer)),
  ]);
}

function plainColumns(spans: SearchedSpan[]): Buffer[] {
  return [
    int8Array(spans.map((span) => span.startNs)),
    int8Array(spans.map((span) => span.endNs)),
    int4Array(spans.map((span) => span.inputTokens)),
    int4Array(spans.map((span) => span.outputTokens)),
    float8Array(spans.map((span) => span.cost)),
    int4Array(spans.map((span) => span.promptId)),
    int4Array(spans.map((span) => span.promptVersionNumber)),
    textArray(spans.map((span) => span.name)),
  ];
}

const SET_SUBTREES = new Statement(`
  UPDATE span_search d SET subtree_prompt_ids = n.prompt_ids::int[], subtree_workflow_ids = n.workflow_ids::text[]
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS n (trace_id, span_id, prompt_ids, workflow_ids)
   WHERE d.workspace_id = $1 AND d.trace_id = n.trace_id AND d.span_id = n.span_id
     AND (d.subtree_prompt_ids, d.subtree_workflow_ids) IS DISTINCT FROM (n.prompt_ids::int[], n.workflow_ids::text[])`);

/** Needs all spans of a trace, so it runs after they are written. */
export async function setSubtrees(tx: EntityManager, spans: (SpanKey & { subtree: Subtree })[]): Promise<void> {
  if (spans.length === 0) return;
  await SET_SUBTREES.run(tx, [
    ...spanKeys(spans),
    textArray(spans.map(({ subtree }) => arrayLiteral(subtree.promptIds.map(String)))),
    textArray(spans.map(({ subtree }) => arrayLiteral(subtree.workflowIds))),
  ]);
}

const CLEAR_SUBTREES = new Statement(`
  UPDATE span_search d SET subtree_prompt_ids = '{}', subtree_workflow_ids = '{}'
    FROM unnest($2::text[]) AS t (trace_id)
   WHERE d.workspace_id = $1 AND d.trace_id = t.trace_id
     AND (d.subtree_prompt_ids <> '{}' OR d.subtree_workflow_ids <> '{}')
     AND NOT EXISTS (SELECT FROM unnest($3::text[], $4::text[]) AS k (trace_id, span_id)
                      WHERE (k.trace_id, k.span_id) = (d.trace_id, d.span_id))`);

/** Clears the subtrees of spans that lost theirs because a span below changed. */
export async function clearSubtrees(tx: EntityManager, traces: TraceKey[], except: SpanKey[]): Promise<void> {
  if (traces.length === 0) return;
  await CLEAR_SUBTREES.run(tx, [
    workspaceOf(traces),
    textArray(traces.map(({ traceId }) => traceId)),
    ...spanKeys(except).slice(1),
  ]);
}

export interface TraceSearchRow extends TraceKey, FacetsOfTrace {
  startNs: bigint;
  summary: TraceSummary;
}

/** Columns in the order of the statement's parameters. */
const GIVEN_COLUMNS = [
  'root_span_id',
  'name',
  'status',
  'depth',
  'models_used',
  'tool_names',
  'prompt_ids',
  'prompt_versions',
  'workflow_ids',
  'workflow_versions',
  'workflows',
  'user_id',
  'session_id',
  'start_ns',
  'tags',
  'metadata',
  'first_input',
  'last_output',
  'error_message',
  'facets',
  'facets_cut',
];

const UPSERT_TRACES = new Statement(`
  INSERT INTO trace_search (workspace_id, trace_id, ${GIVEN_COLUMNS.join(', ')})
  SELECT $1, n.trace_id, n.root_span_id, n.name, n.status, n.depth, n.models_used::text[], n.tool_names::text[],
         n.prompt_ids::int[], n.prompt_versions::text[], n.workflow_ids::text[], n.workflow_versions::text[], n.workflows,
         n.user_id, n.session_id, n.start_ns, n.tags::text[], n.metadata, n.first_input, n.last_output, n.error_message,
         n.facets::text[], n.facets_cut
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::text[],
      $10::text[], $11::text[], $12::text[], $13::jsonb[], $14::text[], $15::text[], $16::bigint[], $17::text[],
      $18::jsonb[], $19::text[], $20::text[], $21::text[], $22::text[], $23::bool[])
      AS n (trace_id, ${GIVEN_COLUMNS.join(', ')})
  ON CONFLICT (workspace_id, trace_id) DO UPDATE SET
    ${GIVEN_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`);

/**
 * Notes the hours of traces whose counted values have changed. One trace at a time: with a join, the planner may read
 * the whole table of traces.
 */
const NOTE_HOURS = new Statement(`
  INSERT INTO trace_hour_changes (workspace_id, hour)
  SELECT DISTINCT $1::int, began.hour FROM unnest($2::text[]) AS n (trace_id)
   CROSS JOIN LATERAL (
     SELECT ${TRACE_HOURS.start.hour} AS hour FROM traces t
      WHERE t.workspace_id = $1 AND t.trace_id = n.trace_id AND t.start_ns IS NOT NULL OFFSET 0) AS began`);

export async function upsertTraceSearch(tx: EntityManager, rows: TraceSearchRow[]): Promise<void> {
  if (rows.length === 0) return;
  const summaries = rows.map((row) => row.summary);
  const texts = (pick: (summary: TraceSummary) => string | null) => textArray(summaries.map(pick));
  const lists = (pick: (summary: TraceSummary) => string[]) => texts((summary) => arrayLiteral(pick(summary)));
  const json = (pick: (summary: TraceSummary) => object) =>
    jsonbArray(summaries.map((each) => JSON.stringify(pick(each))));
  await UPSERT_TRACES.run(tx, [
    workspaceOf(rows),
    textArray(rows.map((row) => row.traceId)),
    texts((each) => each.rootSpanId),
    texts((each) => each.name),
    texts((each) => each.status),
    int4Array(summaries.map((each) => each.depth)),
    lists((each) => each.modelsUsed),
    lists((each) => each.toolNames),
    lists((each) => each.promptIds.map(String)),
    lists((each) => each.promptVersions),
    lists((each) => [...new Set(each.workflows.map(({ id }) => id))].sort()),
    lists((each) => workflowVersions(each)),
    json((each) => each.workflows),
    texts((each) => each.userId),
    texts((each) => each.sessionId),
    int8Array(rows.map(({ startNs }) => startNs)),
    lists((each) => each.tags),
    json((each) => each.metadata),
    texts((each) => each.firstInput),
    texts((each) => each.lastOutput),
    texts((each) => each.errorMessage),
    textArray(rows.map(({ facets }) => arrayLiteral(facets))),
    boolArray(rows.map(({ facetsCut }) => facetsCut)),
  ]);
  await NOTE_HOURS.run(tx, [workspaceOf(rows), textArray(rows.map((row) => row.traceId))]);
}

/** "id:version" of workflows that have a version. */
function workflowVersions({ workflows }: TraceSummary): string[] {
  const versions = workflows.flatMap(({ id, version }) => (version === null ? [] : [`${id}:${version}`]));
  return [...new Set(versions)].sort();
}

/** The workspace, the traces and the spans. */
function spanKeys(spans: SpanKey[]): unknown[] {
  return [
    workspaceOf(spans),
    textArray(spans.map((span) => span.traceId)),
    textArray(spans.map((span) => span.spanId)),
  ];
}
