import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { chunkOf } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { SheetVersion } from '../shared/sheet-version.entity.js';

/** The change that made a cell stale. */
export interface StaleCause {
  version: SheetVersion;
  /** The first change of that version, such as `{type: 'cell.update', column_id, row_index}`. */
  delta: JsonObject;
  /** The title of the changed column. */
  title: string | null;
  message: string;
}

/**
 * Finds the version in which a row became stale: the last one whose chunk was not stale in it. A row that was stale in
 * all versions of its chunk was never computed.
 */
const SINCE = `
  SELECT coalesce(
    (SELECT version_to FROM column_chunk_history
      WHERE workspace_id = $1 AND column_key = $2 AND chunk_no = $3 AND NOT stale @> $4::int
      ORDER BY version_to DESC LIMIT 1),
    (SELECT version_from FROM column_chunk_history WHERE workspace_id = $1 AND column_key = $2 AND chunk_no = $3
      ORDER BY version_to LIMIT 1),
    (SELECT version FROM column_chunks WHERE workspace_id = $1 AND column_key = $2 AND chunk_no = $3)) AS version`;

/**
 * Finds the reason why a cell is stale, and the version since when. null when the sheet's history does not contain it
 * any more.
 */
export async function findStaleCause(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { column, rowIndex }: { column: SheetColumn; rowIndex: number },
): Promise<StaleCause | null> {
  const { workspaceId, id: sheetId } = sheet;
  const place = [workspaceId, column.key, chunkOf(rowIndex), rowIndex];
  const [since] = await tx.query<{ version: number | null }[]>(SINCE, place);
  if (since?.version == null) return null;
  const version = await tx.findOneBy(SheetVersion, { workspaceId, sheetId, number: since.version });
  if (!version) return null;
  const [delta = { type: 'unknown' }] = version.deltas;
  if (delta.type === 'cells.update') return causeAmongCells(tx, columns, version, { delta, column, rowIndex });
  const title = titleOf(columns, delta);
  return { version, delta, title, message: messageOf(delta, title, column.id) };
}

const EDITED = `
  SELECT column_key AS key FROM cells
   WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index = $3 AND version = $4
  UNION
  SELECT column_key FROM cell_history
   WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index = $3 AND version_from = $4`;

/** Finds the edited source of a cell when many cells were edited at once: the one that was written in its row. */
async function causeAmongCells(
  tx: EntityManager,
  columns: SheetColumns,
  version: SheetVersion,
  { delta, column, rowIndex }: { delta: JsonObject; column: SheetColumn; rowIndex: number },
): Promise<StaleCause> {
  const sources = columns.graph.allSources([column.id]).add(column.id);
  const known = (delta.column_ids as string[]).filter((id) => sources.has(id)).flatMap((id) => columns.find(id) ?? []);
  const keys = known.map(({ key }) => key);
  const written = await tx.query<{ key: string }[]>(EDITED, [version.workspaceId, keys, rowIndex, version.number]);
  const edited = known.filter(({ key }) => written.some((cell) => cell.key === key));
  const [first, ...others] = edited;
  const only = first && others.length === 0 ? first : null;
  const title = only?.title ?? null;
  const place = { type: delta.type!, row_index: rowIndex, ...(only && { column_id: only.id }) };
  return { version, delta: place, title, message: editedMessage(edited, column) };
}

function editedMessage(edited: SheetColumn[], column: SheetColumn): string {
  if (edited.includes(column)) return 'The answer was withdrawn.';
  if (edited.length === 0) return 'What it is computed from was edited in this row.';
  const titles = LIST.format(edited.map(({ title }) => `"${title}"`));
  return `${titles} ${edited.length === 1 ? 'was' : 'were'} edited in this row.`;
}

const LIST = new Intl.ListFormat('en');

function titleOf(columns: SheetColumns, delta: JsonObject): string | null {
  if (typeof delta.column_id !== 'string') return null;
  const { title } = (delta.before ?? {}) as { title?: string };
  return columns.find(delta.column_id)?.title ?? title ?? null;
}

function promptMessage({ event, label, prompt_name: name, version_number: number }: JsonObject): string {
  const prompt = `"${String(name)}"`;
  const messages: Record<string, string> = {
    prompt_template_label_created: `The label "${String(label)}" was added to version ${String(number)} of the prompt ${prompt}.`,
    prompt_template_label_moved: `The label "${String(label)}" was moved to version ${String(number)} of the prompt ${prompt}.`,
    prompt_template_label_deleted: `The label "${String(label)}" was removed from the prompt ${prompt}.`,
    prompt_template_version_created: `Version ${String(number)} of the prompt ${prompt} was published.`,
    prompt_template_deleted: `The snippet ${prompt} was deleted.`,
  };
  return messages[String(event)] ?? `A snippet of the prompt ${prompt} changed.`;
}

function executionMessage({ cancelled, spent }: JsonObject): string {
  if (spent) return 'The operation reached max_cost before this cell.';
  return cancelled ? 'The calculation was cancelled.' : 'An input changed when it was recalculated.';
}

function messageOf(delta: JsonObject, title: string | null, columnId: string): string {
  const own = delta.column_id === columnId;
  const name = title === null ? 'A column' : `"${title}"`;
  const messages: Record<string, string> = {
    'cell.update': own ? 'The answer was withdrawn.' : `${name} was edited in this row.`,
    'column.create': own ? 'It was never computed.' : `${name} was added.`,
    'column.update': own ? 'The settings of the column changed.' : `The settings of ${name} changed.`,
    'column.delete': `${name} was deleted.`,
    'column.move': `${name} was moved.`,
    'rows.add': 'The row was added; it was never computed.',
    import: 'The row was imported; it was never computed.',
    trace_import: 'The row was imported; it was never computed.',
    execution: executionMessage(delta),
    composition: own
      ? 'The source cell in the other sheet is stale.'
      : `${name} shows a column of another sheet, and its source changed.`,
    'version.restore': 'An earlier version of the sheet was restored.',
    'prompt.update': promptMessage(delta),
  };
  return messages[String(delta.type)] ?? 'An input changed.';
}
