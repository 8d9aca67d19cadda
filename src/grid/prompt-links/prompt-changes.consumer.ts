import type { EntityManager } from 'typeorm';
import { EventConsumer, type EventConsumerPlugin, type OccurredEvent } from '../../events/index.js';
import type { JsonObject } from '../../platform/json.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { outdateColumns, type OutdatedColumns } from './outdate-columns.js';

/** Data of the registry's events about a prompt. */
type PromptNews = {
  prompt_template_id: number;
  prompt_template_name: string;
  prompt_template_version_number: number;
  prompt_template_label?: string;
};

/** Columns whose config refers to the changed label, to the latest version, or to the prompt in any way. */
const REFERRING: Record<string, string> = {
  prompt_template_label_created: 'cp.label = $3',
  prompt_template_label_moved: 'cp.label = $3',
  prompt_template_label_deleted: 'cp.label = $3',
  prompt_template_version_created: 'cp.label IS NULL AND cp.version_number IS NULL AND $3::text IS NULL',
  prompt_template_updated: 'cp.version_number IS NULL AND $3::text IS NULL',
};

/** Makes cells stale whose column uses a changed prompt: a label was moved, or a version published. */
@EventConsumer({ name: 'sheets', types: Object.keys(REFERRING) })
export class PromptChangesConsumer implements EventConsumerPlugin {
  constructor(private readonly types: ColumnTypes) {}

  async consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<void> {
    for (const event of events) {
      for (const columns of await findUsers(tx, workspaceId, event)) {
        await outdateColumns(tx, this.types, workspaceId, { ...columns, delta: toDelta(event) });
      }
    }
  }
}

/** The columns by sheet. Sheets are locked in one order to prevent deadlocks between consumers. */
function findUsers(tx: EntityManager, workspaceId: number, event: OccurredEvent): Promise<OutdatedColumns[]> {
  const { prompt_template_id: promptId, prompt_template_label: label = null } = event.details as PromptNews;
  return tx.query<OutdatedColumns[]>(
    `SELECT c.sheet_id AS "sheetId", array_agg(DISTINCT c.id) AS "columnIds"
       FROM column_prompts cp
       JOIN sheet_columns c ON c.workspace_id = cp.workspace_id AND c.id = cp.column_id AND c.deleted_at IS NULL
      WHERE cp.workspace_id = $1 AND cp.prompt_id = $2 AND ${REFERRING[event.type]}
      GROUP BY c.sheet_id ORDER BY c.sheet_id`,
    [workspaceId, promptId, label],
  );
}

function toDelta({ type, details }: OccurredEvent): JsonObject {
  const news = details as PromptNews;
  return {
    type: 'prompt.update',
    event: type,
    prompt_name: news.prompt_template_name,
    version_number: news.prompt_template_version_number,
    label: news.prompt_template_label ?? null,
  };
}
