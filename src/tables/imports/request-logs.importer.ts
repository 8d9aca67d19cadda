import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { readPromptNames } from '../../prompts/index.js';
import { readLogParts, readLogSizes, readVariableNames, selectRequestLogIds } from '../../requests/index.js';
import { fitsTitle, MAX_COLUMNS } from './headers.js';
import type { ImportOperation } from './import-operation.entity.js';
import { type ImportedValue, ImportFailure, type Importer, type ImportPlan, ImportsFrom } from './importer.js';
import { fieldReader, INPUT, type LogReader, OUTPUT, variableReader } from './request-log-fields.js';
import { type RequestLogImport, titlesOf } from './request-log-import.js';

/** What is read and written at once, whichever is reached first. Sizes are those on disk, mostly compressed. */
const STEP = { rows: 2000, cells: 50_000, storedBytes: 4 * 1024 * 1024 };

/** What the plan keeps: the logs, and what the columns are made of. */
interface Source {
  ids: number[];
  variables: string[];
  fields: string[];
}

/** A row per request log: its input variables, what went in, what came out, and the facts that were asked for. */
@ImportsFrom('request_logs')
export class RequestLogsImporter implements Importer {
  /** The selected ids are pinned here: logs that arrive while the import runs do not shift its rows. */
  async plan(tx: EntityManager, { workspaceId, request }: ImportOperation): Promise<ImportPlan> {
    const { selection, variables: wanted, fields } = request as unknown as RequestLogImport;
    const ids = await selectRequestLogIds(tx, workspaceId, selection);
    if (ids.length === 0) throw new ImportFailure('No requests were found that match.');
    const room = MAX_COLUMNS - titlesOf({ variables: [], fields }).length;
    const variables = wanted.length > 0 ? wanted : await occurring(tx, workspaceId, { ids, room });
    const source: Source = { ids, variables, fields };
    const titles = titlesOf(source);
    const steps = stepsOf(ids, await readLogSizes(tx, workspaceId, ids), titles.length);
    return { titles, rowCount: ids.length, steps, source: source as unknown as JsonObject };
  }

  async read(
    tx: EntityManager,
    { workspaceId }: ImportOperation,
    plan: ImportPlan,
    rows: { from: number; to: number },
  ): Promise<ImportedValue[][]> {
    const { ids, variables, fields } = plan.source as unknown as Source;
    const readers = readersOf(plan.titles, { variables: new Set(variables), fields });
    const wanted = ids.slice(rows.from, rows.to);
    const parts = [...new Set(readers.flatMap((reader) => reader.parts))];
    const logs = await readLogParts(tx, workspaceId, wanted, parts);
    const promptIds = fields.includes('prompt_name') ? [...logs.values()].map((log) => log.promptId) : [];
    const context = { promptNames: await readPromptNames(tx, workspaceId, promptIds) };
    return wanted.map((id) => {
      const log = logs.get(id);
      // A log deleted since the plan was made leaves its row blank: the rows after it must not move.
      return readers.map((reader) => (log ? reader.read(log, context) : null));
    });
  }
}

/** The first row of every step: as many logs as fit in memory however long they are, but always one. */
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

/** The variables of the logs that can be titles of columns, most used first. */
async function occurring(
  tx: EntityManager,
  workspaceId: number,
  { ids, room }: { ids: number[]; room: number },
): Promise<string[]> {
  const names = await readVariableNames(tx, workspaceId, ids, MAX_COLUMNS);
  return names.filter((name) => name.trim() !== '' && fitsTitle(name)).slice(0, room);
}

/** A name that is several things at once is a variable first, and a fact last. */
function readersOf(titles: string[], { variables, fields }: { variables: Set<string>; fields: string[] }): LogReader[] {
  return titles.map((title) => {
    if (variables.has(title)) return variableReader(title);
    if (title === 'input') return INPUT;
    if (title === 'output') return OUTPUT;
    return fieldReader(fields.find((name) => name === title)!);
  });
}
