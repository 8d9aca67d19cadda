import type { EntityManager } from 'typeorm';
import { EventConsumer, type EventConsumerPlugin, type OccurredEvent } from '../../../events/index.js';
import type { JsonObject } from '../../../platform/json.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { lockLiveSheet } from '../lock-sheet.js';
import { KEEPING_OWNERS } from '../sheet-owner.js';
import type { Sheet } from '../sheet.entity.js';
import { ChunkStates } from '../states/chunk-states.js';
import { noteStale } from '../states/stale-notes.js';
import { recordVersion } from '../versions/record-version.js';

/** What the registry says of a prompt. */
interface PromptNews {
  prompt_template_id: number;
  prompt_template_name: string;
  prompt_template_version_number: number;
  prompt_template_label?: string;
}

/** Columns whose config refers to what has changed: a label, the latest version, or the prompt in whichever way. */
const REFERRING: Record<string, string> = {
  prompt_template_label_created: 'cp.label = $3',
  prompt_template_label_moved: 'cp.label = $3',
  prompt_template_label_deleted: 'cp.label = $3',
  prompt_template_version_created: 'cp.label IS NULL AND cp.version_number IS NULL AND $3::text IS NULL',
  prompt_template_updated: 'cp.version_number IS NULL AND $3::text IS NULL',
};

/** Makes cells stale whose column uses a prompt that says something else now: a label was moved, a version published. */
@EventConsumer({ name: 'sheets', types: Object.keys(REFERRING) })
export class PromptChangesConsumer implements EventConsumerPlugin {
  constructor(private readonly types: ColumnTypes) {}

  async consume(tx: EntityManager, workspaceId: number, events: OccurredEvent[]): Promise<void> {
    for (const event of events) {
      const users = await findUsers(tx, workspaceId, event);
      for (const [sheetId, columnIds] of users) {
        const sheet = await lockLiveSheet(tx, workspaceId, sheetId);
        if (sheet) await this.outdate(tx, sheet, columnIds, toDelta(event));
      }
    }
  }

  private async outdate(tx: EntityManager, sheet: Sheet, columnIds: string[], delta: JsonObject): Promise<void> {
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const users = columns.computed.filter(({ id }) => columnIds.includes(id));
    const outdated = [...users, ...columns.dependents(users)];
    const keys = outdated.map(({ key }) => key);
    const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: sheet.rows.end });
    for (const key of keys) states.markStale(key, sheet.rows);
    if (!states.isChanged) return;
    await states.save(
      tx,
      await recordVersion(tx, sheet, { deltas: [{ ...delta, column_ids: columnIds }], createdBy: null }),
    );
    noteStale(tx, sheet, sheet.rows);
  }
}

/** The columns by sheet. Sheets are locked in one order, or two consumers could wait for each other. */
async function findUsers(tx: EntityManager, workspaceId: number, event: OccurredEvent): Promise<Map<string, string[]>> {
  const { prompt_template_id: promptId, prompt_template_label: label = null } = event.details as unknown as PromptNews;
  const rows = await tx.query<{ sheetId: string; columnIds: string[] }[]>(
    `SELECT c.sheet_id AS "sheetId", array_agg(DISTINCT c.id) AS "columnIds"
       FROM column_prompts cp
       JOIN sheet_columns c ON c.workspace_id = cp.workspace_id AND c.id = cp.column_id AND c.deleted_at IS NULL
       JOIN sheets s ON s.workspace_id = c.workspace_id AND s.id = c.sheet_id AND s.owner <> ALL ($4::text[])
      WHERE cp.workspace_id = $1 AND cp.prompt_id = $2 AND ${REFERRING[event.type]}
      GROUP BY c.sheet_id ORDER BY c.sheet_id`,
    [workspaceId, promptId, label, KEEPING_OWNERS],
  );
  return new Map(rows.map(({ sheetId, columnIds }) => [sheetId, columnIds]));
}

function toDelta({ type, details }: OccurredEvent): JsonObject {
  const news = details as unknown as PromptNews;
  return {
    type: 'prompt.update',
    event: type,
    prompt_name: news.prompt_template_name,
    version_number: news.prompt_template_version_number,
    label: news.prompt_template_label ?? null,
  };
}
