import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { RowsResponse, SideBySideLineBody, SideBySideRunBody } from '../api/schema.gen';
import { LongText } from '../reading/long-text';
import { Dialog } from '../ui/dialog';
import { Failure, Waiting } from '../ui/parts';
import { letterOf } from './runs-data';
import { WordDiff } from './word-diff';

interface Props {
  runs: SideBySideRunBody[];
  lines: SideBySideLineBody[];
  /** A run, a row and a column, as the URL has it. */
  read: string;
  onClose: () => void;
}

/** A cell as a whole, as it was when it was scored; beside it what the first run has in the same row. */
export function Reader({ runs, lines, read, onClose }: Props) {
  const [place = 0, row = 0, column = 0] = read.split('.').map(Number);
  const run = runs[place];
  const title = run?.columns[column]?.title;
  const line = lines.find((each) => each.runs[place]?.row_index === row);
  const first = line?.runs[0];
  const base = runs[0]!.columns.find((each) => each.title === title);
  const own = useCell(run, row, run?.columns[column]?.id);
  const before = useCell(place > 0 && first ? runs[0] : undefined, first?.row_index ?? 0, base?.id);
  if (!run || title === undefined) return null;
  const error = own.error ?? before.error;
  return (
    <Dialog label={`${title} of row ${row + 1}`} className="form-dialog wide" onClose={onClose}>
      <h1>
        <bdi>{title}</bdi>
        {`, row ${row + 1}${runs.length > 1 ? `, run ${letterOf(place)}` : ''}`}
      </h1>
      <Waiting on={own.isFetching || before.isFetching} />
      {error && <Failure error={error} onRetry={() => void Promise.all([own.refetch(), before.refetch()])} />}
      {own.data !== undefined &&
        (before.data === undefined ? (
          <LongText text={own.data} />
        ) : (
          <pre dir="auto" className="text run-cell">
            <WordDiff before={before.data} after={own.data} />
          </pre>
        ))}
      <div className="actions">
        <button className="button" data-first="" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function useCell(run: SideBySideRunBody | undefined, row: number, column: string | undefined) {
  return useQuery({
    queryKey: ['evaluation-runs', 'cell', run?.calculation_id, row, column],
    queryFn: async ({ signal }) => {
      const { table_id, sheet_id, version } = run!;
      const query = { version, from_row: row, limit: 1, columns: column!, include_columns: false } as never;
      const path = { table_id, sheet_id };
      const answer = await api('GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows', { path, query, signal });
      const cell = (answer as RowsResponse).data[0]?.cells[column!];
      if (!cell) return '';
      return cell.display_value ?? (typeof cell.value === 'string' ? cell.value : JSON.stringify(cell.value, null, 2));
    },
    enabled: run !== undefined && column !== undefined,
  });
}
