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

interface Props {
  version: DatasetBody;
  q: string;
  page: number;
  onChange: (change: { q?: string; page: string }, how?: { replace: boolean }) => void;
}

/** The rows of a version, page by page. */
export function Rows({ version, q, page, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.select() });
  const query = { page, per_page: PAGE, q: q.trim() || undefined };
  const rows = useQuery({
    queryKey: ['datasets', 'rows', version.id, query],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/datasets/{dataset_id}/rows', { path: { dataset_id: version.id }, query, signal }),
    placeholderData: keepPreviousData,
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
      {data?.total === 0 && (
        <p className="quiet-text">{q.trim() === '' ? 'This version has no rows.' : `No row contains “${q.trim()}”.`}</p>
      )}
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

const Cell = ({ text }: { text: string }) => (
  <div className="dataset-cell" title={text.slice(0, 2000)}>
    {oneLine(text)}
  </div>
);
