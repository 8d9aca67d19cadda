import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { listConditions } from '../../entity-lists/index.js';
import type { ListPromptsQuery } from './prompts.dto.js';
import { type PromptRecord, PromptVersion } from '../shared/prompt.entity.js';
import { PROMPTS } from './prompt.registry.js';

/** A prompt on a page, and which version of it is shown. */
export interface PromptHead {
  prompt: PromptRecord;
  versionNumber: number;
  /** Bytes that the content of the version takes in the database; compressed, so there may be more of it. */
  size: number;
}

const SORT_COLUMNS = { created_at: 'created_at', updated_at: 'updated_at', name: 'name', id: 'id' } as const;

/** One page of the prompts that match, each with its latest or its labelled version, and how many match. One statement. */
export async function listPrompts(
  tx: EntityManager,
  workspaceId: number,
  query: ListPromptsQuery,
): Promise<{ total: number; heads: PromptHead[] }> {
  const { page = 1, per_page: perPage = 30, sort_by: sortBy = 'created_at', sort_order: order = 'desc' } = query;
  const parameters = new SqlParameters();
  const workspace = `${parameters.add(workspaceId)}::int`;
  const from = `FROM prompts p ${labelJoin(query, workspace, parameters)}
    WHERE ${conditions(query, workspace, parameters)}`;
  const sort = (alias: string) => `${alias}.${SORT_COLUMNS[sortBy]} ${order}, ${alias}.id ${order}`;
  // Apart from the count the page can come from an index.
  const rows = await tx.query<ListRow[]>(
    `SELECT counted.total, ${PROMPTS.columnsSql(tx, 'page')}, page.version_number,
            pg_column_size(v.template) + coalesce(pg_column_size(v.metadata), 0) AS size
       FROM (SELECT count(*)::int AS total ${from}) AS counted
       LEFT JOIN (
         SELECT p.*, ${query.label ? 'l.version_number' : 'p.latest_version AS version_number'} ${from}
          ORDER BY ${sort('p')} LIMIT ${parameters.add(perPage)} OFFSET ${parameters.add((page - 1) * perPage)}
       ) AS page ON true
       LEFT JOIN prompt_versions v
         ON v.workspace_id = ${workspace} AND v.prompt_id = page.id AND v.number = page.version_number
      ORDER BY ${sort('page')}`,
    parameters.values,
  );
  // Without a match the only row has the count alone.
  return { total: rows[0].total, heads: rows.filter(({ id }) => id !== null).map(toHead) };
}

/** The versions that some prompts are shown with, in their order. One statement. */
export async function readShownVersions(
  tx: EntityManager,
  workspaceId: number,
  heads: PromptHead[],
): Promise<PromptVersion[]> {
  const ids = heads.map(({ prompt }) => prompt.id);
  const numbers = heads.map(({ versionNumber }) => versionNumber);
  const versions = await tx
    .createQueryBuilder(PromptVersion, 'v')
    .where('v.workspaceId = :workspaceId', { workspaceId })
    .andWhere('(v.promptId, v.number) IN (SELECT * FROM unnest(:ids::int[], :numbers::int[]))', { ids, numbers })
    .getMany();
  const byPrompt = new Map(versions.map((version) => [version.promptId, version]));
  return ids.map((id) => byPrompt.get(id)!);
}

/** The label in any Unicode form of its letters, preferably the one that is spelled exactly so. */
function labelJoin({ label }: ListPromptsQuery, workspace: string, parameters: SqlParameters): string {
  if (!label) return '';
  const name = `${parameters.add(label)}::text`;
  return `CROSS JOIN LATERAL (
    SELECT l.version_number FROM prompt_labels l
     WHERE l.workspace_id = ${workspace} AND l.prompt_id = p.id AND normalize(l.name) = normalize(${name})
     ORDER BY l.name <> ${name} LIMIT 1) AS l`;
}

function conditions(query: ListPromptsQuery, workspaceSql: string, parameters: SqlParameters): string {
  const { idType, externalIdType } = PROMPTS.item;
  const common = listConditions(query, { alias: 'p', workspaceSql, idType, externalIdType }, parameters);
  const { is_snippet: isSnippet } = query;
  return isSnippet === undefined ? common : `${common} AND p.is_snippet = ${parameters.add(isSnippet)}`;
}

type ListRow = PromptRecord & {
  total: number;
  version_number: number;
  size: number;
};

function toHead({ version_number: versionNumber, size, ...prompt }: ListRow): PromptHead {
  return { prompt, versionNumber, size };
}
