import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { RowsResponse, SideBySideLineBody, SideBySideRunBody } from '../api/schema.gen';
import { LongText } from '../reading/long-text';
import { CloseButton, Dialog } from '../ui/dialog';
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

/** The opened cell, and the cell of the first run in the same row; undefined when there is none. */
function placesOf({ runs, lines, read }: Omit<Props, 'onClose'>) {
  const [place = 0, row = 0, column = 0] = read.split('.').map(Number);
  const run = runs[place];
  const found = run?.columns[column];
  const first = place > 0 ? lines.find((each) => each.runs[place]?.row_index === row)?.runs[0] : undefined;
  const base = first && runs[0]!.columns.find((each) => each.title === found?.title);
  const before = first && base ? { run: runs[0], row: first.row_index, column: base.id } : undefined;
  return { place, run, row, found, before };
}

/** The full text of a cell at the time of scoring, beside that of the first run in the same row. */
export function Reader({ runs, lines, read, onClose }: Props) {
  const { place, run, row, found, before: base } = placesOf({ runs, lines, read });
  const own = useCell(found ? { run, row, column: found.id } : undefined);
  const before = useCell(base);
  if (!run || !found) return null;
  const { title } = found;
  return (
    <Dialog label={`${title} of row ${row + 1}`} className="form-dialog wide" onClose={onClose}>
      <h1>
        <bdi>{title}</bdi>
        {`, row ${row + 1}${runs.length > 1 ? `, run ${letterOf(place)}` : ''}`}
      </h1>
      <Waiting on={own.isFetching || before.isFetching} />
      <Problem cells={[own, before]} />
      {own.data !== undefined && (
        <div className="run-text" role="region" aria-label="Text" tabIndex={0}>
          <Text text={own.data} before={before.data} />
        </div>
      )}
      <CloseButton onClose={onClose} />
    </Dialog>
  );
}

function Problem({ cells }: { cells: ReturnType<typeof useCell>[] }) {
  const failed = cells.find(({ error }) => error !== null);
  return failed ? <Failure error={failed.error!} onRetry={() => void failed.refetch()} /> : null;
}

function Text({ text, before }: { text: string; before: string | undefined }) {
  if (before === undefined) return <LongText text={text} />;
  return (
    <pre dir="auto" className="text run-cell">
      <WordDiff before={before} after={text} />
    </pre>
  );
}

interface CellPlace {
  run: SideBySideRunBody | undefined;
  row: number;
  column: string;
}

function useCell(place: CellPlace | undefined) {
  return useQuery({
    queryKey: ['evaluation-runs', 'cell', place?.run?.calculation_id, place?.row, place?.column],
    queryFn: async ({ signal }) => {
      const { run, row, column } = place!;
      const { table_id, sheet_id, version } = run!;
      const query = { version, from_row: row, limit: 1, columns: column, include_columns: false } as never;
      const path = { table_id, sheet_id };
      const answer = await api('GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows', { path, query, signal });
      return textOf((answer as RowsResponse).data[0]?.cells[column]);
    },
    enabled: place?.run !== undefined,
  });
}

function textOf(cell: RowsResponse['data'][number]['cells'][string] | undefined): string {
  if (!cell) return '';
  return cell.display_value ?? (typeof cell.value === 'string' ? cell.value : JSON.stringify(cell.value, null, 2));
}
