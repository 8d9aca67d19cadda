import { isObject, type JsonValue } from '../../../platform/json.js';
import { rowSteps } from '../calculation-plan.js';
import type { StoredStep } from '../scorecard-row.entity.js';
import type {
  SideBySideCellBody,
  SideBySideResultBody,
  SideBySideRunBody,
  SideBySideRowBody,
  SideBySideResponse,
} from './side-by-side.dto.js';
import type { ShownCell } from './side-by-side.queries.js';
import type { FoundLines, Run, RunContents } from './side-by-side.service.js';

const REASON_LENGTH = 2000;

export function toSideBySide({ runs, lines, contents, total, hasMore }: FoundLines): SideBySideResponse {
  return {
    success: true,
    runs: runs.map(toRun),
    rows: lines.map((line) => ({
      runs: runs.map((run, place) => {
        const row = line[place] ?? null;
        return row === null ? null : toRow(run, contents[place]!, row);
      }),
    })),
    total_count: total,
    next_cursor: hasMore ? lines.at(-1)![0]! : null,
  };
}

function toRun(run: Run): SideBySideRunBody {
  const { calculation, sheet, totals, columns } = run;
  return {
    calculation_id: calculation.id,
    table_id: sheet.tableId,
    sheet_id: sheet.id,
    version: calculation.version,
    score: calculation.result?.score ?? null,
    verdict: calculation.result?.verdict ?? null,
    cost: totals.cost,
    unpriced_row_count: totals.unpriced,
    latency_ms: totals.latencyMs,
    matched_by: run.matchedBy,
    unmatched_row_count: run.added,
    columns: columns.map((column) => ({
      id: column.id,
      title: column.title,
      type: column.type,
      role: run.roleOf(column),
      is_read: run.read.has(column.id),
    })),
    steps: rowSteps(calculation.plan).map(({ id, title }) => ({ id, title })),
  };
}

function toRow({ columns, scores, calculation }: Run, { cells, steps }: RunContents, row: number): SideBySideRowBody {
  const own = cells.get(row) ?? [];
  const byKey = new Map(own.map((cell) => [cell.columnKey, cell]));
  const found = steps.get(row) ?? [];
  return {
    row_index: row,
    verdict: scores.verdictAt(row),
    score: scores.at(row, null),
    cost: sumOf(own.map(({ cost }) => cost)),
    latency_ms: sumOf(own.map(({ latencyMs }) => latencyMs)),
    cells: columns.map(({ key }) => toCell(byKey.get(key))),
    steps: rowSteps(calculation.plan).flatMap((_, place) => (found[place] ? [toStep(found[place])] : [])),
  };
}

function toCell(cell: ShownCell | undefined): SideBySideCellBody {
  if (!cell) return { text: null, is_truncated: false, error: null };
  return { text: cell.text, is_truncated: cell.isCut, error: cell.error };
}

function toStep([verdict, score, result, error, evidence]: StoredStep): SideBySideResultBody {
  const reason = error ?? reasonOf(result) ?? (typeof evidence === 'string' ? evidence : null);
  return { verdict, score, reason: reason && reason.slice(0, REASON_LENGTH) };
}

/** The reasoning of a judge; null for a result without reasons. */
function reasonOf(result: JsonValue): string | null {
  if (!isObject(result)) return null;
  const said = Object.values(result).flatMap((each) => {
    const reasoning = isObject(each) ? each.reasoning : null;
    return typeof reasoning === 'string' ? [reasoning] : [];
  });
  return said.length > 0 ? said.join('\n') : null;
}

function sumOf(numbers: (number | null)[]): number | null {
  const known = numbers.filter((each) => each !== null);
  return known.length > 0 ? known.reduce((sum, each) => sum + each, 0) : null;
}
