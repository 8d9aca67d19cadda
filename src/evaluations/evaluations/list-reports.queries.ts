import { type EntityManager, In, IsNull } from 'typeorm';
import { listConditions } from '../../entity-lists/index.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { EXTERNAL_ID_TYPE, Report } from '../reports/report.entity.js';
import type { ListEvaluationsQuery } from './evaluations.dto.js';

/** One page of the pipelines that match, and how many match. */
export async function listPipelines(
  tx: EntityManager,
  workspaceId: number,
  query: ListEvaluationsQuery,
): Promise<{ total: number; pipelines: Report[] }> {
  const { page = 1, per_page: perPage = 10, sort_by: sortBy = 'created_at', sort_order: order = 'desc' } = query;
  const parameters = new SqlParameters();
  const workspaceSql = `${parameters.add(workspaceId)}::int`;
  const table = { alias: 'r', workspaceSql, idType: 'integer', externalIdType: EXTERNAL_ID_TYPE } as const;
  const from = `FROM reports r WHERE r.is_blueprint AND ${listConditions(query, table, parameters)}`;
  const [{ total }] = await tx.query<[{ total: number }]>(`SELECT count(*)::int AS total ${from}`, parameters.values);
  const found = await tx.query<{ id: number }[]>(
    `SELECT r.id ${from} ORDER BY r.${sortBy} ${order}, r.id ${order}
      LIMIT ${parameters.add(perPage)} OFFSET ${parameters.add((page - 1) * perPage)}`,
    parameters.values,
  );
  const ids = found.map(({ id }) => id);
  const byId = new Map((await tx.findBy(Report, { workspaceId, id: In(ids) })).map((report) => [report.id, report]));
  return { total, pipelines: ids.flatMap((id) => byId.get(id) ?? []) };
}

/** The runs of pipelines, the newest first. */
export function listRuns(
  tx: EntityManager,
  workspaceId: number,
  { parentIds, status = 'active' }: { parentIds: number[] } & Pick<ListEvaluationsQuery, 'status'>,
): Promise<Report[]> {
  const where = { workspaceId, parentId: In(parentIds), ...(status === 'active' && { deletedAt: IsNull() }) };
  return tx.find(Report, { where, order: { createdAt: 'DESC', id: 'DESC' } });
}
