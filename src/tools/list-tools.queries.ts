import type { EntityManager } from 'typeorm';
import { commonConditions, type CommonListQuery } from '../entity-lists/index.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { EXTERNAL_ID_TYPE, type Tool } from './tool.entity.js';

/** What lists show of a tool. */
export type ListedTool = Omit<Tool, 'latestVersion' | 'createdBy' | 'deletedAt'>;

/** The live tools that match. The latest updated ones come first, unless the query says otherwise. */
export function listTools(tx: EntityManager, workspaceId: number, query: CommonListQuery): Promise<ListedTool[]> {
  const { sort_by: sortBy = 'updated_at', sort_order: order = 'desc' } = query;
  const parameters = new SqlParameters();
  const workspaceSql = `${parameters.add(workspaceId)}::int`;
  const table = { alias: 't', workspaceSql, idType: 'integer', externalIdType: EXTERNAL_ID_TYPE } as const;
  const conditions = ['t.deleted_at IS NULL', ...commonConditions(query, table, parameters)];
  return tx.query<ListedTool[]>(
    `SELECT t.workspace_id AS "workspaceId", t.id, t.folder_id AS "folderId", t.name, t.description,
            t.created_at AS "createdAt", t.updated_at AS "updatedAt"
       FROM tools t WHERE t.workspace_id = ${workspaceSql} AND ${conditions.join(' AND ')}
      ORDER BY t.${sortBy} ${order}, t.id ${order}`,
    parameters.values,
  );
}
