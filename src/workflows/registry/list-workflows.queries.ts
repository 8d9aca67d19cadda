import type { EntityManager } from 'typeorm';
import { tagConditions } from '../../platform/http/tags-query.js';
import { comparableText } from '../../platform/comparable-text.js';
import { commonConditions } from '../../entity-lists/index.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import type { ListWorkflowsQuery } from './workflows.dto.js';
import { EXTERNAL_ID_TYPE, type Workflow } from './workflow.entity.js';

/** What lists show of a workflow: also the names of all its labels, sorted. */
export type ListedWorkflow = Workflow & { labels: string[] };

/** One page of the workflows that match, and how many match. The newest come first, unless the query says otherwise. */
export async function listWorkflows(
  tx: EntityManager,
  workspaceId: number,
  query: ListWorkflowsQuery,
): Promise<{ total: number; workflows: ListedWorkflow[] }> {
  const { page = 1, per_page: perPage = 30, sort_by: sortBy = 'created_at', sort_order: order = 'desc' } = query;
  const parameters = new SqlParameters();
  const workspaceSql = `${parameters.add(workspaceId)}::int`;
  const from = `FROM workflows w WHERE w.workspace_id = ${workspaceSql} AND ${conditions(query, workspaceSql, parameters).join(' AND ')}`;
  const [{ total }] = await tx.query<[{ total: number }]>(`SELECT count(*)::int AS total ${from}`, [
    ...parameters.values,
  ]);
  const workflows = await tx.query<ListedWorkflow[]>(
    `SELECT w.workspace_id AS "workspaceId", w.id, w.folder_id AS "folderId", w.latest_version AS "latestVersion",
            w.created_by AS "createdBy", w.name, w.tags, w.created_at AS "createdAt", w.updated_at AS "updatedAt",
            w.deleted_at AS "deletedAt",
            ARRAY(SELECT l.name FROM workflow_labels l WHERE l.workspace_id = ${workspaceSql} AND l.workflow_id = w.id
                   ORDER BY l.name COLLATE "C") AS labels
       ${from} ORDER BY w.${sortBy} ${order}, w.id ${order}
      LIMIT ${parameters.add(perPage)} OFFSET ${parameters.add((page - 1) * perPage)}`,
    parameters.values,
  );
  return { total, workflows };
}

function conditions(query: ListWorkflowsQuery, workspaceSql: string, parameters: SqlParameters): string[] {
  const { status = 'active', name, tags } = query;
  const found: string[] = [];
  if (status !== 'all') found.push(`w.deleted_at IS ${status === 'deleted' ? 'NOT NULL' : 'NULL'}`);
  if (name) {
    found.push(`strpos(lower(comparable_text(w.name)), lower(${parameters.add(comparableText(name))}::text)) > 0`);
  }
  found.push(...tagConditions('w.tags', tags, parameters));
  const table = { alias: 'w', workspaceSql, idType: 'integer', externalIdType: EXTERNAL_ID_TYPE } as const;
  return [...found, ...commonConditions(query, table, parameters), 'TRUE'];
}
