import { comparableText } from '../../platform/comparable-text.js';
import type { EntityManager } from 'typeorm';
import { textValues } from '../../platform/filters/json-sql.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { HASHED, metadataKeyFacet } from '../shared/facets.js';
import { valuesOf } from '../shared/request-filters.js';
import { outputValues, variableValues } from '../shared/listed-values.js';
import type { LogCondition } from './search-page.queries.js';

/** The logs of a workspace whose values are suggested. */
export interface LogsOfWorkspace extends LogCondition {
  workspaceId: number;
}

/** Number of the newest matching logs to read: it keeps suggestions fast with any number of logs. */
export const LOOKED_AT = 10_000;
export const MOST_SUGGESTIONS = 25;
/** Longer values are nothing to pick from a list. */
export const LONGEST_SUGGESTION = 1000;

/** A text[] of what a log has to suggest, made of these columns. */
interface Source {
  columns: string;
  values: (key: string, parameters: SqlParameters, workspaceId: number) => string;
}

function column(field: string): Source {
  const { sql, many } = valuesOf(field);
  return { columns: sql, values: () => (many ? sql : `ARRAY[${sql}]`) };
}

const SOURCES = {
  engine: column('engine'),
  provider_type: column('provider_type'),
  status: column('status'),
  environment: column('environment'),
  tags: column('tags'),
  tool_names: column('tool_names'),
  output_keys: column('output_keys'),
  input_variable_keys: column('input_variable_keys'),
  metadata_keys: { columns: 'metadata, facets', values: metadataKeys },
  metadata_values: { columns: 'metadata, facets', values: metadataValues },
  output_values: { columns: 'output_data, output_keys', values: outputValues },
  input_variable_values: { columns: 'prompt_input_variables, input_variable_keys', values: variableValues },
} satisfies Record<string, Source>;

/** The keys, and the paths inside values that hold JSON: those are listed among the facets. */
function metadataKeys(_: string, parameters: SqlParameters, workspaceId: number): string {
  const listed = `${parameters.add(metadataKeyFacet(workspaceId, ''))}::text`;
  return (
    `ARRAY(SELECT jsonb_object_keys(metadata) UNION SELECT listed.key FROM unnest(facets) AS facet, ` +
    `substr(facet, length(${listed}) + 1) AS listed(key) ` +
    `WHERE starts_with(facet, ${listed}) AND NOT starts_with(listed.key, '${HASHED}'))`
  );
}

/** The value of a key, or else what lies at it as a path: most keys are no paths. */
function metadataValues(key: string, parameters: SqlParameters, workspaceId: number): string {
  const own = `${parameters.add(key)}::text`;
  const listed = `ARRAY[${parameters.add(metadataKeyFacet(workspaceId, key))}::text]`;
  return (
    `CASE WHEN metadata ? ${own} THEN ARRAY[metadata ->> ${own}] ` +
    `WHEN facets @> ${listed} THEN ${textValues('metadata')(key, parameters)} END`
  );
}

export type ColumnField = keyof typeof SOURCES;
export type SuggestionField = ColumnField | 'prompt_id' | 'prompt';

export const SUGGESTION_FIELDS: readonly SuggestionField[] = [
  ...(Object.keys(SOURCES) as ColumnField[]),
  'prompt_id',
  'prompt',
];

/** Whether the suggestions of a field are the values at a key. */
export function isValueField(field: SuggestionField): boolean {
  return field.endsWith('_values');
}

/** Values of the newest logs that match, most frequent first, then alphabetical. `key` is used for values at a key. */
export async function suggestValues(
  db: EntityManager,
  match: LogsOfWorkspace,
  { field, key, prefix }: { field: ColumnField; key: string | null; prefix: string },
): Promise<string[]> {
  const parameters = parametersOf(match);
  const source: Source = SOURCES[field];
  const rows = await db.query<{ value: string }[]>(
    `SELECT found.value FROM ${newest(match, source.columns)}, unnest(${source.values(key ?? '', parameters, match.workspaceId)}) AS found(value)
      WHERE found.value <> '' AND length(found.value) <= ${LONGEST_SUGGESTION}
        AND starts_with(lower(comparable_text(found.value)), lower(${parameters.add(comparableText(prefix))}::text))
      GROUP BY found.value
      ORDER BY count(*) DESC, lower(found.value) COLLATE "C", found.value COLLATE "C"
      LIMIT ${MOST_SUGGESTIONS}`,
    parameters.values,
  );
  return rows.map((row) => row.value);
}

/** Number of calls of each prompt among the newest logs that match. */
export async function countPrompts(
  db: EntityManager,
  match: LogsOfWorkspace,
): Promise<{ id: number; count: number }[]> {
  return db.query<{ id: number; count: number }[]>(
    `SELECT prompt_id AS id, count(*)::int AS count FROM ${newest(match, 'prompt_id')}
      WHERE prompt_id IS NOT NULL GROUP BY prompt_id`,
    [...match.values],
  );
}

function newest({ condition }: LogsOfWorkspace, columns: string): string {
  return `(SELECT ${columns} FROM request_logs WHERE ${condition}
    ORDER BY request_start_time DESC, id DESC LIMIT ${LOOKED_AT}) AS newest`;
}

function parametersOf(match: LogsOfWorkspace): SqlParameters {
  const parameters = new SqlParameters();
  for (const value of match.values) parameters.add(value);
  return parameters;
}
