import type { EntityManager } from 'typeorm';
import { EventConsumer, type EventConsumerPlugin, type OccurredEvent } from '../../events/index.js';
import type { JsonObject } from '../../platform/json.js';
import { findImportingVersions, type SnippetChange } from '../../prompts/index.js';
import { ColumnTypes } from '../column-type/column-type.js';
import { outdateColumns, type OutdatedColumns } from './outdate-columns.js';

/** Data of the registry's events about a prompt. */
type PromptNews = {
  prompt_template_id: number;
  prompt_template_name: string;
  prompt_template_version_number: number;
  prompt_template_label?: string;
};

/** The meaning of an event. */
interface Meaning {
  /** Columns whose config refers to what has changed, `$3` being the label of the event. */
  users: string;
  /** The change of the prompt as a snippet, which versions of other prompts may import. */
  asSnippet?: (label: string) => SnippetChange;
}

const OF_LABEL: Meaning = { users: 'cp.label = $3', asSnippet: (label) => ({ latest: false, labels: [label] }) };
const OF_LATEST = 'cp.label IS NULL AND cp.version_number IS NULL AND $3::text IS NULL';
/** The event has no label. */
const NOBODY = '$3::text IS NOT NULL';

const MEANINGS: Record<string, Meaning> = {
  prompt_template_label_created: OF_LABEL,
  prompt_template_label_moved: OF_LABEL,
  prompt_template_label_deleted: OF_LABEL,
  prompt_template_version_created: { users: OF_LATEST, asSnippet: () => ({ latest: true, labels: [] }) },
  prompt_template_updated: { users: OF_LATEST },
  prompt_template_deleted: { users: NOBODY, asSnippet: () => ({ latest: false, labels: [], deleted: true }) },
};

/**
 * Makes cells stale whose column uses a changed prompt: a label was moved, a version published, or a snippet inside the
 * version that the column uses has changed.
 */
@EventConsumer({ name: 'sheets', types: Object.keys(MEANINGS) })
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

/** Columns whose config refers to one of the versions $4, $5 by its number or by a label. The latest ones have an event. */
const USES_IMPORTING = `EXISTS (
  SELECT FROM unnest($4::int[], $5::int[]) AS v (prompt_id, number)
    LEFT JOIN prompt_labels l ON l.workspace_id = $1 AND l.prompt_id = v.prompt_id AND l.name = cp.label
   WHERE v.prompt_id = cp.prompt_id AND v.number = CASE WHEN cp.label IS NULL THEN cp.version_number ELSE l.version_number END)`;

/** The columns by sheet. Sheets are locked in one order to prevent deadlocks between consumers. */
async function findUsers(tx: EntityManager, workspaceId: number, event: OccurredEvent): Promise<OutdatedColumns[]> {
  const { prompt_template_id: promptId, prompt_template_label: label = null } = event.details as PromptNews;
  const { users, asSnippet } = MEANINGS[event.type]!;
  const change = asSnippet?.(label ?? '');
  const importing = change ? await findImportingVersions(tx, { workspaceId, ids: [promptId] }, change) : [];
  return tx.query<OutdatedColumns[]>(
    `SELECT c.sheet_id AS "sheetId", array_agg(DISTINCT c.id) AS "columnIds"
       FROM column_prompts cp
       JOIN sheet_columns c ON c.workspace_id = cp.workspace_id AND c.id = cp.column_id AND c.deleted_at IS NULL
      WHERE cp.workspace_id = $1 AND cp.prompt_id = ANY ($4::int[] || $2::int)
        AND (cp.prompt_id = $2 AND ${users} OR ${USES_IMPORTING})
      GROUP BY c.sheet_id ORDER BY c.sheet_id`,
    [
      workspaceId,
      promptId,
      label,
      importing.map((version) => version.promptId),
      importing.map((version) => version.versionNumber),
    ],
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
