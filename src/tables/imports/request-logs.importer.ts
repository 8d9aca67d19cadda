import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { readPromptNames } from '../../prompts/index.js';
import {
  inputText,
  outputText,
  readRequestLogs,
  readVariableNames,
  type RequestLog,
  type RequestSelection,
  selectRequestLogIds,
} from '../../requests/index.js';
import { asText } from '../column-types/values.js';
import { ImportFailure, type Importer, type ImportPlan, ImportsFrom } from './importer.js';
import { readRequestLogField, type RequestLogContext } from './request-log-fields.js';

const MAX_COLUMNS = 999;

/** What the request of such an import holds. */
export interface RequestLogImport {
  selection: RequestSelection;
  /** Names of input variables; empty means all that occur. */
  variables: string[];
  /** Facts of the log, see `request-log-fields.ts`. */
  fields: string[];
}

/** A row per request log: its input variables, what went in, what came out, and the facts that were asked for. */
@ImportsFrom('request_logs')
export class RequestLogsImporter implements Importer {
  /** The selected ids are pinned here: logs that arrive while the import runs do not shift its rows. */
  async plan(tx: EntityManager, workspaceId: number, request: JsonObject): Promise<ImportPlan> {
    const { selection, variables: wanted, fields } = request as unknown as RequestLogImport;
    const ids = await selectRequestLogIds(tx, workspaceId, selection);
    if (ids.length === 0) throw new ImportFailure('No requests were found that match.');
    const variables = wanted.length > 0 ? wanted : await readVariableNames(tx, workspaceId, ids, MAX_COLUMNS);
    const titles = [...new Set([...variables, 'input', 'output', ...fields])].slice(0, MAX_COLUMNS);
    return { titles, rowCount: ids.length, source: { ids, variables, fields } };
  }

  async read(
    tx: EntityManager,
    workspaceId: number,
    plan: ImportPlan,
    rows: { from: number; to: number },
  ): Promise<(string | null)[][]> {
    const { ids, variables, fields } = plan.source as unknown as {
      ids: number[];
      variables: string[];
      fields: string[];
    };
    const wanted = ids.slice(rows.from, rows.to);
    const logs = new Map((await readRequestLogs(tx, workspaceId, wanted)).map((log) => [Number(log.id), log]));
    const promptIds = fields.includes('prompt_name') ? [...logs.values()].map((log) => log.promptId) : [];
    const context = { promptNames: await readPromptNames(tx, workspaceId, promptIds) };
    const readers = plan.titles.map((title) => readerOf(title, { variables, fields, context }));
    // A log deleted since the plan was made leaves its row blank: the rows after it must not move.
    return wanted.map((id) => readers.map((read) => (logs.has(id) ? read(logs.get(id)!) : null)));
  }
}

function readerOf(
  title: string,
  { variables, fields, context }: { variables: string[]; fields: string[]; context: RequestLogContext },
): (log: RequestLog) => string | null {
  if (variables.includes(title)) {
    return (log) => (Object.hasOwn(log.promptInputVariables, title) ? asText(log.promptInputVariables[title]) : null);
  }
  if (title === 'input') return (log) => inputText(log.input);
  if (title === 'output') return (log) => outputText(log.output);
  return fields.includes(title) ? (log) => readRequestLogField(log, title, context) : () => null;
}
