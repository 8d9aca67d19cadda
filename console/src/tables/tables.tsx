import './tables.css';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import type { TableBody } from '../api/schema.gen';
import { TABLES } from '../folders/kinds';
import { openFolder } from '../folders/tree';
import { WithFolders } from '../folders/with-folders';
import { GuardedButton, useMay } from '../shell/permissions';
import { count, counted } from '../ui/format';
import { ListGrid } from '../ui/list-grid';
import { ListScreenHead, NothingLike } from '../ui/list-screen';
import { Moment } from '../ui/moment';
import { Failure, Note, Waiting } from '../ui/parts';
import { useUrlState } from '../ui/url-state';
import { NewTable } from './new-table';

const DEFAULTS = { q: '', folder: '' };
const PAGE = 50;
const CREATE = 'TABLE_CREATE';

/** The list of tables, the newest first. */
export default function Tables() {
  const [{ q, folder }, set] = useUrlState(DEFAULTS);
  const [isCreating, setCreating] = useState(false);
  const list = useCursorList(['tables', 'list', q], (cursor, signal) =>
    api('GET /api/public/v2/tables', { query: { limit: PAGE, name: q.trim() || undefined, cursor }, signal }),
  );
  const { items: tables, error } = list;
  const create = () => setCreating(true);
  return (
    <>
      <ListScreenHead
        title="Tables"
        placeholder="Search by title"
        q={q}
        onSearch={(text) => set({ q: text }, { replace: true })}
      >
        <span className="spacer" />
        <GuardedButton permission={CREATE} className="button primary" onClick={create}>
          New table
        </GuardedButton>
      </ListScreenHead>
      <WithFolders kind={TABLES} folder={folder} q={q} onFolder={(next) => set({ folder: next, q: '' })}>
        <Waiting on={list.isFetching} />
        {error && tables.length === 0 && <Failure error={error} onRetry={() => void list.refetch()} />}
        {list.isSuccess && tables.length === 0 && <Nothing q={q} onClear={() => set({ q: '' })} onCreate={create} />}
        {tables.length > 0 && (
          <TableGrid
            q={q}
            tables={tables}
            more={{ has: list.hasNextPage, failed: error !== null, load: () => void list.fetchNextPage() }}
          />
        )}
      </WithFolders>
      {isCreating && <NewTable folder={openFolder(folder)} onClose={() => setCreating(false)} />}
    </>
  );
}

function Nothing({ q, onClear, onCreate }: { q: string; onClear: () => void; onCreate: () => void }) {
  const canCreate = useMay(CREATE);
  if (q.trim() !== '') return <NothingLike what="table" filters={[`“${q.trim()}” in their title`]} onClear={onClear} />;
  return (
    <Note title="There are no tables yet" action={canCreate && { label: 'New table', act: onCreate }}>
      <p>
        A table is a set of sheets. Cells of a sheet hold texts, or are computed from others by prompts, code and
        checks.
      </p>
    </Note>
  );
}

const COLUMNS = [
  { name: 'Title', className: 'title' },
  { name: 'Sheets', className: 'number' },
  { name: 'Created', className: 'created' },
  { name: 'Changed', className: 'changed' },
];

interface GridProps {
  q: string;
  tables: TableBody[];
  more: { has: boolean; failed: boolean; load: () => void };
}

function TableGrid({ q, tables, more }: GridProps) {
  const [, navigate] = useLocation();
  return (
    <ListGrid
      label="Tables"
      className="tables"
      place={`tables ${q}`}
      items={tables}
      keyOf={({ id }) => id}
      columns={COLUMNS}
      more={more}
      total={counted(tables.length, 'table', more.has ? '+' : '')}
      onOpen={({ id }) => navigate(`/tables/${id}`)}
      cellsOf={() => (table) => (
        <>
          <div role="gridcell" dir="auto" className="ellipsis">
            <Link href={`/tables/${table.id}`} tabIndex={-1}>
              {table.title}
            </Link>
          </div>
          <div role="gridcell" className="number">
            {count(table.sheet_count)}
          </div>
          <div role="gridcell">
            <Moment at={table.created_at} />
          </div>
          <div role="gridcell">
            <Moment at={table.updated_at} />
          </div>
        </>
      )}
    />
  );
}
