import type { EntityManager } from 'typeorm';
import { EventConsumer, type EventConsumerPlugin, type OccurredEvent } from '../../events/index.js';
import type { ToolChanged } from '../../tools/index.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { outdateColumns, type OutdatedColumns } from './outdate-columns.js';

const REFERS = '@.type == "registry" && @.tool_registry_id == $id';

/** References to a tool that a change affects. */
const AFFECTED: Record<ToolChanged['change'], string> = {
  version_created: `${REFERS} && (!exists(@.label) || @.label == null || @.label == "")
    && (!exists(@.version_number) || @.version_number == null)`,
  label_changed: `${REFERS} && @.label == $label`,
  deleted: REFERS,
};

/** Makes cells stale whose prompt offers a changed tool. */
@EventConsumer({ name: 'sheets-tools', types: ['tool_changed'] })
export class ToolChangesConsumer implements EventConsumerPlugin {
  constructor(private readonly types: ColumnTypes) {}

  async consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<void> {
    for (const { type, details } of events) {
      const news = details as ToolChanged;
      const { tool_name, version_number, tool_label: label } = news;
      const delta = { type: 'tool.update', event: type, tool_name, version_number, label };
      for (const columns of await findUsers(tx, workspaceId, news)) {
        await outdateColumns(tx, this.types, workspaceId, { ...columns, delta });
      }
    }
  }
}

/**
 * The columns whose prompt has such a reference: the prompt in their config, or the version of the registry that they
 * use. Sheets are locked in one order to prevent deadlocks between consumers.
 */
function findUsers(
  tx: EntityManager,
  workspaceId: number,
  { tool_registry_id: id, tool_label: label, change }: ToolChanged,
): Promise<OutdatedColumns[]> {
  return tx.query<OutdatedColumns[]>(
    `SELECT c.sheet_id AS "sheetId", array_agg(c.id) AS "columnIds"
       FROM sheet_columns c
      WHERE c.workspace_id = $1 AND c.deleted_at IS NULL AND (
        jsonb_path_exists(c.config, $2::jsonpath, $3::jsonb)
        OR EXISTS (
          SELECT 1 FROM column_prompts cp
            JOIN prompts p ON p.workspace_id = $1 AND p.id = cp.prompt_id
            LEFT JOIN prompt_labels l ON l.workspace_id = $1 AND l.prompt_id = p.id AND l.name = cp.label
            JOIN prompt_versions v ON v.workspace_id = $1 AND v.prompt_id = p.id
             AND v.number = coalesce(cp.version_number, CASE WHEN cp.label IS NULL THEN p.latest_version ELSE l.version_number END)
           WHERE cp.workspace_id = $1 AND cp.column_id = c.id
             AND jsonb_path_exists(v.template::jsonb, $2::jsonpath, $3::jsonb)))
      GROUP BY c.sheet_id ORDER BY c.sheet_id`,
    [workspaceId, `$.**.tools[*] ? (${AFFECTED[change]})`, JSON.stringify({ id, label })],
  );
}
