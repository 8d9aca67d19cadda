import type { EntityManager } from 'typeorm';
import { type HourlyRows, splitByTime, splitByValue } from '../rollups/index.js';
import { ORIGINS } from '../llm/records/origin.js';
import { originsOf } from '../llm/records/origin-fields.js';
import type { SqlParameters } from '../platform/filters/sql-parameters.js';
import {
  HASHED,
  parseLogQuery,
  REQUEST_GROUPS,
  REQUEST_HOURS,
  requestConditions,
  rolledRequestFacets,
} from '../requests/index.js';
import {
  FIRST_TOKEN_MS,
  readTraceQuery,
  rolledTraceFacets,
  TRACE_HOURS,
  traceConditions,
  traceFacet,
} from '../traces/index.js';
import type { Definition, GroupKind } from './definition.js';

type Query = Pick<Definition, 'filterGroup' | 'q'>;

/** How the items of a source are read. */
export interface SourceReader {
  rows: HourlyRows;
  /** Throws the errors of the filter grammar. */
  check(query: Query): void;
  /** The facets whose hourly sums answer a query, and the origins of the query. Facets are null if only rows can answer it. */
  plan(tx: EntityManager, workspaceId: number, query: Query): Promise<Plan>;
  /** The condition on rows, the workspace included. */
  conditions(tx: EntityManager, workspaceId: number, query: Query, parameters: SqlParameters): Promise<string>;
  /** Prefix of the facets of a group. */
  prefixOf(by: GroupKind, workspaceId: number): string;
  /** A join that gives the score of a row as `score`, with the parameters of workspace and name. */
  scores(workspace: string, name: string): string;
  /** A join and SQL for the time to the first token; null if rows have none. */
  firstToken: ((workspace: string) => { join: string; ms: string }) | null;
  /** The fields of the filter grammar that links to lists use. */
  fields: {
    start: string;
    status: string;
    scores: string;
    origin: string;
    groups: Record<GroupKind, [field: string, operator: string]>;
  };
}

interface Plan {
  facets: readonly string[] | null;
  /** Origins that the filter allows; null for all. */
  origins: readonly string[] | null;
}

/** Intersects the origins of a monitor with those of its filter; null for all. */
export function originsIn({ origin }: Pick<Definition, 'origin'>, ofFilter: readonly string[] | null): string[] | null {
  const asked = origin === 'all' ? null : originsOf(origin);
  if (asked === null || ofFilter === null) return (asked ?? ofFilter)?.slice() ?? null;
  return asked.filter((each) => ofFilter.includes(each));
}

const REQUESTS: SourceReader = {
  rows: REQUEST_HOURS,
  check: ({ filterGroup, q }) => void parseLogQuery({ filterGroup, q }),
  async plan(tx, workspaceId, { filterGroup, q }) {
    const { groups, text } = parseLogQuery({ filterGroup, q });
    const { from, to, others: conditions } = splitByTime(groups, 'request_start_time');
    const { values: origins, others } = splitByValue(conditions, 'origin', ORIGINS);
    const isOfRows = text !== null || from !== null || to !== null;
    return { origins, facets: isOfRows ? null : await rolledRequestFacets(tx, workspaceId, others) };
  },
  conditions: (tx, workspaceId, { filterGroup, q }, parameters) =>
    requestConditions(tx, workspaceId, { filterGroup, q }, parameters),
  prefixOf: (by, workspaceId) => REQUEST_GROUPS[by].prefix(workspaceId),
  scores: (workspace, name) =>
    `LEFT JOIN LATERAL (SELECT score FROM request_scores
       WHERE workspace_id = ${workspace} AND log_id = request_logs.id AND name = ${name}) AS scores ON true`,
  firstToken: (workspace) => ({
    join: `LEFT JOIN LATERAL (SELECT ${FIRST_TOKEN_MS} AS ms FROM spans s
             WHERE s.workspace_id = ${workspace} AND s.trace_id = request_logs.trace_id AND s.span_id = request_logs.span_id
             LIMIT 1) AS first_token ON true`,
    ms: 'first_token.ms',
  }),
  fields: {
    start: 'request_start_time',
    status: 'status',
    scores: 'scores',
    origin: 'origin',
    groups: {
      model: ['engine', 'is'],
      prompt: ['prompt_id', 'is'],
      user: ['user_id', 'is'],
      tag: ['tags', 'contains'],
    },
  },
};

const TRACE_KINDS = { model: 'model', prompt: 'prompt', user: 'user', tag: 'tag' } as const;

const TRACES: SourceReader = {
  rows: TRACE_HOURS,
  check: ({ filterGroup, q }) => void readTraceQuery({ filterGroup, q }),
  plan(_tx, workspaceId, { filterGroup, q }) {
    const { group, text } = readTraceQuery({ filterGroup, q });
    const { from, to, others: conditions } = splitByTime(group ? [group] : [], 'trace_start');
    const { values: origins, others } = splitByValue(conditions, 'trace_origin', ORIGINS);
    const isOfRows = text !== null || from !== null || to !== null;
    return Promise.resolve({ origins, facets: isOfRows ? null : rolledTraceFacets(workspaceId, others) });
  },
  conditions: (tx, workspaceId, { filterGroup, q }, parameters) =>
    traceConditions(tx, workspaceId, { filterGroup, q }, parameters),
  prefixOf: (by, workspaceId) => traceFacet(workspaceId, TRACE_KINDS[by], ''),
  scores: (workspace, name) =>
    `LEFT JOIN trace_scores AS scores
       ON scores.workspace_id = ${workspace} AND scores.trace_id = t.trace_id AND scores.name = ${name}`,
  firstToken: null,
  fields: {
    start: 'trace_start',
    status: 'trace_status',
    scores: 'trace_scores',
    origin: 'trace_origin',
    groups: {
      model: ['trace_models_used', 'contains'],
      prompt: ['trace_prompt_ids', 'contains'],
      user: ['trace_user_id', 'is'],
      tag: ['trace_tags', 'contains'],
    },
  },
};

export const READERS: Record<Definition['source'], SourceReader> = { requests: REQUESTS, traces: TRACES };

/** The value of a group; null for facets of another kind with the same beginning, and for values that only have a hash. */
export function groupValue(by: GroupKind, prefix: string, facet: string): string | null {
  const value = facet.slice(prefix.length);
  if (by === 'prompt') return /^\d+$/.test(value) ? value : null;
  return value.startsWith(HASHED) ? null : value;
}
