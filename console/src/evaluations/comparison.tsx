import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, ApiError } from '../api/client';
import type { EvaluationRowsResponse, EvaluationRunBody } from '../api/schema.gen';
import { count } from '../ui/format';
import { Failure, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import {
  type ColumnComparison,
  correctionText,
  estimateText,
  isShare,
  type RunComparison,
  scoreText,
  verdictText,
} from './verdict';

interface Props {
  run: EvaluationRunBody;
  /** The run to compare with; empty for the one before. */
  against: string;
  /** The row that is open; empty for none. */
  row: string;
  onRow: (row: string) => void;
}

/** Reasons why two runs are not compared, by error code. */
const NOT_COMPARED: Record<string, string> = {
  report_run_is_first:
    'No earlier run has scored the same version of the dataset, so there is nothing to compare with yet. Start another run, or choose one above.',
  report_rows_differ:
    'These two runs have scored different versions of the dataset. Choose a run over the same version to compare with.',
  report_run_unfinished: 'One of these runs is not completed yet. They are compared when both are.',
};

/** Changes from another run to this one, regressions first. */
export function Comparison({ run, against, row, onRow }: Props) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['comparison', run.id, against],
    queryFn: ({ signal }) =>
      api('GET /reports/{report_id}/comparison', {
        path: { report_id: run.id },
        query: { ...(against && { with: Number(against) }) },
        signal,
      }),
  });
  if (!data) {
    if (!error) return <Waiting on={isFetching} />;
    // A missing run to compare with is no failure.
    const why = error instanceof ApiError ? NOT_COMPARED[error.code] : undefined;
    return why ? <p>{why}</p> : <Failure error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <ChangedScorers columns={data.columns} />
      {data.columns.map((column) => (
        <ColumnVerdict key={column.name} column={column} />
      ))}
      {data.columns.length > 1 && <p className="quiet-text">{correctionText(data.columns)}</p>}
      {data.unmatched_columns.length > 0 && (
        <p className="quiet-text">The other run does not have {data.unmatched_columns.join(', ')}.</p>
      )}
      <Changes compared={data} onRow={onRow} />
      {row !== '' && <OpenRow key={row} compared={data} row={Number(row)} onClose={() => onRow('')} />}
    </>
  );
}

/**
 * Names scorers that changed between the runs. Shown before the verdicts, because a change of a scorer also changes
 * scores.
 */
function ChangedScorers({ columns }: { columns: ColumnComparison[] }) {
  const changed = columns.filter((column) => column.scorer_changed).map(({ name }) => `“${name}”`);
  if (changed.length === 0) return null;
  return (
    <p className="needs" role="note">
      <bdi>{changed.join(', ')}</bdi>
      {` ${changed.length === 1 ? 'has' : 'have'} different settings in the other run. A difference in scores may come from the scorer.`}
    </p>
  );
}

function ColumnVerdict({ column }: { column: ColumnComparison }) {
  const share = isShare(column);
  const isWorse = !column.scorer_changed && column.verdict === 'significant' && (column.difference ?? 0) < 0;
  return (
    <article className="verdict box">
      <h3 dir="auto">{column.name}</h3>
      <p className={isWorse ? 'bad' : undefined}>{verdictText(column)}</p>
      <dl>
        <div>
          <dt>This run</dt>
          <dd>{estimateText(column.own, share)}</dd>
        </div>
        <div>
          <dt>The other run</dt>
          <dd>{estimateText(column.other, share)}</dd>
        </div>
        <div>
          <dt>Rows</dt>
          <dd>{`${count(column.regressed)} worse, ${count(column.improved)} better of ${count(column.n)}`}</dd>
        </div>
      </dl>
    </article>
  );
}

function Changes({ compared, onRow }: { compared: RunComparison; onRow: (row: string) => void }) {
  const { changes, changes_total: total, columns } = compared;
  if (total === 0) return <p>No rows changed.</p>;
  const shareOf = new Map(columns.map((column) => [column.name, isShare(column)]));
  return (
    <>
      <h3>{total > changes.length ? `The first ${changes.length} of ${count(total)} changes` : 'Rows that changed'}</h3>
      <Table
        label="Rows that changed"
        rows={changes}
        keyOf={({ row, column }) => `${row} ${column}`}
        columns={[
          { name: 'Row', className: 'number', cell: ({ row }) => row + 1 },
          { name: 'Column', cell: ({ column }) => column },
          {
            name: 'The other run',
            className: 'number',
            cell: (each) => scoreText(each.before, shareOf.get(each.column)!),
          },
          { name: 'This run', className: 'number', cell: (each) => scoreText(each.after, shareOf.get(each.column)!) },
          {
            name: 'Change',
            cell: ({ before, after }) => (after < before ? <span className="bad">worse</span> : 'better'),
          },
          {
            name: '',
            className: 'buttons',
            cell: ({ row }) => (
              <button className="button" onClick={() => onRow(String(row))}>
                Open
              </button>
            ),
          },
        ]}
      />
    </>
  );
}

/** The results of a row in both runs, side by side. */
function OpenRow({ compared, row, onClose }: { compared: RunComparison; row: number; onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['evaluation-row', compared.other_report_id, compared.report_id, row],
    queryFn: ({ signal }) =>
      Promise.all(
        [compared.other_report_id, compared.report_id].map((id) =>
          api('GET /api/public/v2/evaluations/{evaluation_id}/rows', {
            path: { evaluation_id: id },
            query: { page: row + 1, per_page: 1 },
            signal,
          }),
        ),
      ),
  });
  const section = useRef<HTMLElement>(null);
  const isThere = data !== undefined;
  // The row opens below the table, which may be long.
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [isThere]);
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on />;
  const [before, after] = data as [EvaluationRowsResponse, EvaluationRowsResponse];
  return (
    <section ref={section} aria-label={`Row ${row + 1}`}>
      <header className="actions">
        <h3>Row {row + 1}</h3>
        <button className="button" onClick={onClose}>
          Close the row
        </button>
      </header>
      <Table
        label={`Cells of row ${row + 1}`}
        rows={after.columns}
        keyOf={(name) => name}
        columns={[
          { name: 'Column', cell: (name) => name },
          { name: 'The other run', className: 'breaks', cell: (name) => cellText(before, name) },
          { name: 'This run', className: 'breaks', cell: (name) => cellText(after, name) },
        ]}
      />
    </section>
  );
}

function cellText({ columns, rows }: EvaluationRowsResponse, name: string): string {
  const cell = rows[0]?.[columns.indexOf(name)];
  if (!cell) return '–';
  if (cell.type === 'eval' && cell.error_message !== undefined) return `failed: ${cell.error_message}`;
  return typeof cell.value === 'string' ? cell.value : JSON.stringify(cell.value);
}
