import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../platform/json.js';
import { readPromptNames } from '../prompts/index.js';
import { LogSelection, LogStore } from '../requests/index.js';
import { fitsTitle, MAX_COLUMNS } from './headers.js';
import type { ImportOperation } from './import-operation.entity.js';
import { type ImportedValue, ImportFailure, type Importer, type ImportPlan, ImportsFrom } from './importer.js';
import {
  DATASET_FIELDS,
  datasetReader,
  fieldReader,
  INPUT,
  type LogReader,
  OUTPUT,
  variableReader,
} from './request-log-fields.js';
import { type LogLayout, type RequestLogImport, titlesOf } from './request-log-import.js';

/** Limits of a step; the first one reached ends it. Sizes are those on disk, mostly compressed. */
const STEP = { rows: 2000, cells: 50_000, storedBytes: 4 * 1024 * 1024 };

/** Part of the plan that is stored: the logs, and the sources of the columns. */
type Source = {
  ids: number[];
  variables: string[];
  fields: string[];
  layout?: LogLayout;
};

/** Imports a row per request log: its input variables, the input, the output, and the requested fields. */
@ImportsFrom('request_logs')
export class RequestLogsImporter implements Importer {
  plan(tx: EntityManager, { workspaceId, request }: ImportOperation): Promise<ImportPlan> {
    return this.planLogs(tx, workspaceId, request as RequestLogImport);
  }

  /** Stores the selected ids: logs that arrive during the import do not shift its rows. */
  async planLogs(tx: EntityManager, workspaceId: number, asked: RequestLogImport): Promise<ImportPlan> {
    const ids = await LogSelection.readIds(tx, workspaceId, asked.selection);
    if (ids.length === 0 && asked.layout !== 'dataset') throw new ImportFailure('No requests were found that match.');
    const source: Source = { ids, ...(await columnsOf(tx, workspaceId, ids, asked)), layout: asked.layout };
    const titles = titlesOf(source);
    const steps = stepsOf(ids, await LogStore.readSizes(tx, workspaceId, ids), titles.length);
    return { titles, rowCount: ids.length, steps, source: source as JsonObject };
  }

  async read(
    tx: EntityManager,
    { workspaceId }: Pick<ImportOperation, 'workspaceId'>,
    plan: ImportPlan,
    rows: { from: number; to: number },
  ): Promise<ImportedValue[][]> {
    const source = plan.source as Source;
    const ids = source.ids.slice(rows.from, rows.to);
    const values = await this.readValues(tx, workspaceId, plan.titles, { ...source, ids });
    // A log that was deleted since the plan leaves its row blank: the rows after it must not move.
    return ids.map((id) => values.get(id) ?? plan.titles.map(() => null));
  }

  /** The values of logs, by id: one for each title. Deleted logs are missing. */
  async readValues(
    tx: EntityManager,
    workspaceId: number,
    titles: string[],
    source: Source,
  ): Promise<Map<number, ImportedValue[]>> {
    const readers = readersOf(titles, source);
    const parts = [...new Set(readers.flatMap((reader) => reader.parts))];
    const logs = await LogSelection.readParts(tx, workspaceId, source.ids, parts);
    const promptIds = source.fields.includes('prompt_name') ? [...logs.values()].map((log) => log.promptId) : [];
    const context = { promptNames: await readPromptNames(tx, workspaceId, promptIds) };
    return new Map([...logs].map(([id, log]) => [id, readers.map((reader) => reader.read(log, context))]));
  }
}

/** The first row of every step: as many logs as fit in memory, but at least one. */
function stepsOf(ids: number[], sizes: Map<number, number>, columns: number): number[] {
  const steps: number[] = [];
  const mostRows = Math.max(1, Math.min(STEP.rows, Math.floor(STEP.cells / columns)));
  let bytes = 0;
  for (const [row, id] of ids.entries()) {
    const size = sizes.get(id) ?? 0;
    const last = steps.at(-1);
    if (last === undefined || row - last >= mostRows || bytes + size > STEP.storedBytes) {
      steps.push(row);
      bytes = 0;
    }
    bytes += size;
  }
  return steps;
}

/** Returns the sources of the columns. If there are too many, the first columns of a dataset have precedence. */
async function columnsOf(
  tx: EntityManager,
  workspaceId: number,
  ids: number[],
  { variables: wanted, fields: given, layout }: RequestLogImport,
): Promise<{ variables: string[]; fields: string[] }> {
  const always = layout === 'dataset' ? DATASET_FIELDS : given;
  let room = Math.max(0, MAX_COLUMNS - titlesOf({ variables: wanted, fields: always, layout }).length);
  const occurring = async (of: 'variables' | 'metadata' | 'scores', prefix: string) => {
    const names = await LogSelection.readNames(tx, workspaceId, { ids, of, limit: MAX_COLUMNS });
    const fitting = names.filter((name) => name.trim() !== '' && fitsTitle(prefix + name)).slice(0, room);
    room -= fitting.length;
    return fitting.map((name) => prefix + name);
  };
  const variables = wanted.length > 0 ? wanted : await occurring('variables', '');
  if (layout !== 'dataset') return { variables, fields: await withError(tx, workspaceId, { ids, given, room }) };
  const facts = [...(await occurring('metadata', 'metadata.')), ...(await occurring('scores', 'score.'))];
  return { variables, fields: [...facts, ...always] };
}

/** Adds the column of errors if a call has one. */
async function withError(
  tx: EntityManager,
  workspaceId: number,
  { ids, given, room }: { ids: number[]; given: string[]; room: number },
): Promise<string[]> {
  const isAsked = given.includes('error');
  const isAdded = !isAsked && room > 0 && (await LogSelection.haveErrors(tx, workspaceId, ids));
  return isAdded ? ['error', ...given] : given;
}

/** Chooses the reader of an ambiguous name: a variable first, a field last. */
function readersOf(titles: string[], { variables: names, fields, layout }: Source): LogReader[] {
  const variables = new Set(names);
  return titles.map((title) => {
    if (variables.has(title)) return variableReader(title);
    if (layout === 'dataset') return datasetReader(title);
    if (title === 'input') return INPUT;
    if (title === 'output') return OUTPUT;
    return fieldReader(fields.find((name) => name === title)!);
  });
}
