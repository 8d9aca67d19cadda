import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from '../api/client';
import type { DatasetBody } from '../api/schema.gen';
import { oneLine } from '../ui/format';
import { useKeys } from '../ui/keys';
import { Pages } from '../ui/list-screen';
import { Failure, Waiting } from '../ui/parts';
import { SearchField } from '../ui/search-field';
import { Table } from '../ui/table';

const PAGE = 50;
const POLL_MS = 1000;

interface Props {
  version: DatasetBody;
  isDraft: boolean;
  q: string;
  page: number;
  onChange: (change: { q?: string; page: string }, how?: { replace: boolean }) => void;
}

/** The rows of a version, page by page. */
export function Rows({ version, isDraft, q, page, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.select() });
  // A draft that was made from a version has its columns at once, and its rows when all of them are copied.
  const isCopy = isDraft && version.column_names.length > 0;
  const query = { page, per_page: PAGE, q: q.trim() || undefined };
  const rows = useQuery({
    queryKey: ['datasets', 'rows', version.id, query],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/datasets/{dataset_id}/rows', { path: { dataset_id: version.id }, query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (isCopy && query.q === undefined && state.data?.total === 0 ? POLL_MS : false),
  });
  const { data, error } = rows;
  return (
    <>
      <SearchField
        label="Search rows"
        placeholder="Search values (press /)"
        field={field}
        value={q}
        onChange={(text) => onChange({ q: text, page: '1' }, { replace: true })}
      />
      <Waiting on={rows.isFetching} />
      {error && !data && <Failure error={error} onRetry={() => void rows.refetch()} />}
      {data?.total === 0 && <p className="quiet-text">{nothingIn(isCopy, q.trim())}</p>}
      {data && data.rows.length > 0 && (
        <Table
          label="Rows"
          rows={data.rows.map((cells, at) => ({ cells, number: (data.page - 1) * data.per_page + at + 1 }))}
          keyOf={({ number }) => number}
          columns={[
            { name: 'Row', className: 'number', cell: ({ number }) => number },
            ...data.columns.map((name, at) => ({
              name,
              cell: ({ cells }: { cells: { value: string }[] }) => <Cell text={cells[at]?.value ?? ''} />,
            })),
          ]}
        />
      )}
      {data && data.total > 0 && <Pages {...data} what="row" onPage={(next) => onChange({ page: String(next) })} />}
    </>
  );
}

function nothingIn(isCopy: boolean, q: string): string {
  if (q !== '') return `No row contains “${q}”.`;
  return isCopy
    ? 'This draft has no rows yet. Copied rows appear here when all of them are stored.'
    : 'This version has no rows.';
}

const Cell = ({ text }: { text: string }) => (
  <div className="dataset-cell" title={text.slice(0, 2000)}>
    {oneLine(text)}
  </div>
);
