import { type EntityManager, In } from 'typeorm';
import { commonConditions, externalIdIn } from '../../entity-lists/index.js';
import { hasExternalId } from '../../external-ids/index.js';
import { comparableText } from '../../platform/comparable-text.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { DatasetGroup, DatasetVersion, EXTERNAL_ID_TYPE } from '../shared/dataset.entity.js';
import type { ListDatasetsQuery } from './datasets.dto.js';

export interface ListedVersion {
  version: DatasetVersion;
  group: DatasetGroup;
}

/** The filters of a list, with the versions that the named evaluation uses. */
export type DatasetListing = ListDatasetsQuery & { used?: number[] };

const SORTS = { created_at: 'v.created_at', updated_at: 'v.updated_at', name: 'g.name', id: 'v.id' } as const;

/** One page of the matching versions, and their number. */
export async function listVersions(
  tx: EntityManager,
  workspaceId: number,
  query: DatasetListing,
): Promise<{ total: number; list: ListedVersion[] }> {
  const { page = 1, per_page: perPage = 10, sort_by: sortBy = 'created_at', sort_order: order = 'desc' } = query;
  const parameters = new SqlParameters();
  const workspace = `${parameters.add(workspaceId)}::int`;
  const from = `FROM dataset_versions v JOIN dataset_groups g ON g.workspace_id = v.workspace_id AND g.id = v.group_id
    WHERE ${conditions(query, workspace, parameters).join(' AND ')}`;
  const found = await tx.query<{ total: number; ids: number[] | null }[]>(
    `SELECT (SELECT count(*)::int ${from}) AS total, (SELECT array_agg(id) FROM (
       SELECT v.id ${from} ORDER BY ${SORTS[sortBy]} ${order}, v.id ${order}
        LIMIT ${parameters.add(perPage)} OFFSET ${parameters.add((page - 1) * perPage)}) page) AS ids`,
    parameters.values,
  );
  const { total, ids } = found[0]!;
  return { total, list: await readVersions(tx, workspaceId, ids ?? []) };
}

async function readVersions(tx: EntityManager, workspaceId: number, ids: number[]): Promise<ListedVersion[]> {
  const versions = await tx.findBy(DatasetVersion, { workspaceId, id: In(ids) });
  const groups = await tx.findBy(DatasetGroup, { workspaceId, id: In(versions.map(({ groupId }) => groupId)) });
  const byId = new Map(versions.map((version) => [version.id, version]));
  return ids.map((id) => {
    const version = byId.get(id)!;
    return { version, group: groups.find((group) => group.id === version.groupId)! };
  });
}

function conditions(query: DatasetListing, workspace: string, parameters: SqlParameters): string[] {
  const { external_source: _source, external_id: _id, ...common } = query;
  const { status = 'active', name, dataset_group_id: groupId, used } = query;
  const found = [`v.workspace_id = ${workspace}`, `v.state <> 'hidden'`];
  if (status !== 'all') found.push(`v.deleted_at IS ${status === 'deleted' ? 'NOT NULL' : 'NULL'}`);
  if (groupId) found.push(`v.group_id = ${parameters.add(groupId)}`);
  if (name) {
    found.push(`strpos(lower(comparable_text(g.name)), lower(${parameters.add(comparableText(name))}::text)) > 0`);
  }
  if (used) found.push(`v.id = ANY(${parameters.add(used)}::int[])`);
  const table = { alias: 'v', workspaceSql: workspace, idType: 'integer' } as const;
  const pair = externalIdIn(query);
  const ids = { type: EXTERNAL_ID_TYPE, idSql: 'v.group_id', idType: 'integer', workspaceSql: workspace } as const;
  return [
    ...found,
    ...promptConditions(query, workspace, parameters),
    ...commonConditions(common, table, parameters),
    ...(pair ? [hasExternalId(ids, pair, parameters)] : []),
  ];
}

/** Versions with logs of a prompt, of one of its versions, or of the version of a label. */
function promptConditions(query: DatasetListing, workspace: string, parameters: SqlParameters): string[] {
  const { prompt_id: prompt, prompt_version_id: version, prompt_label_id: label } = query;
  const linked = (condition: string) =>
    `EXISTS (SELECT FROM dataset_version_prompts p
      WHERE p.workspace_id = ${workspace} AND p.version_id = v.id AND ${condition})`;
  const madeWith = (table: string, number: string, id: number) =>
    linked(`(p.prompt_id, p.prompt_version_number) = (SELECT prompt_id, ${number} FROM ${table}
      WHERE workspace_id = ${workspace} AND id = ${parameters.add(id)})`);
  return [
    ...(prompt ? [linked(`p.prompt_id = ${parameters.add(prompt)}`)] : []),
    ...(version ? [madeWith('prompt_versions', 'number', version)] : []),
    ...(label ? [madeWith('prompt_labels', 'version_number', label)] : []),
  ];
}
