import './tables.css';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../api/client';
import type { TableBody } from '../api/schema.gen';
import { useMe } from '../shell/session-context';
import { count, moment } from '../ui/format';
import { useListKeys } from '../ui/keys';
import { ListScreenHead, NothingLike } from '../ui/list-screen';
import { Failure, Note, Waiting } from '../ui/parts';
import { useUrlState } from '../ui/url-state';
import { NewTable } from './new-table';

const DEFAULTS = { q: '' };
const PAGE = 50;

/** The list of tables, the newest first. */
export default function Tables() {
  const [{ q }, set] = useUrlState(DEFAULTS);
  const [isCreating, setCreating] = useState(false);
  const { permissions } = useMe();
  const canCreate = permissions.includes('TABLE_CREATE');
  const query = useInfiniteQuery({
    queryKey: ['tables', q],
    queryFn: ({ pageParam, signal }) => {
      const name = q.trim() === '' ? undefined : q.trim();
      const asked = { limit: PAGE, name, cursor: pageParam ?? undefined };
      return api('GET /api/public/v2/tables', { query: asked, signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: keepPreviousData,
  });
  const tables = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const create = canCreate ? () => setCreating(true) : null;
  return (
    <>
      <Head q={q} onSearch={(text) => set({ q: text }, { replace: true })} onCreate={create} />
      <Waiting on={query.isFetching} />
      {query.error && tables.length === 0 && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && tables.length === 0 && <Nothing q={q} onClear={() => set({ q: '' })} onCreate={create} />}
      {tables.length > 0 && (
        <List tables={tables} hasMore={query.hasNextPage} onMore={() => void query.fetchNextPage()} />
      )}
      {isCreating && <NewTable onClose={() => setCreating(false)} />}
    </>
  );
}

interface HeadProps {
  q: string;
  onSearch: (text: string) => void;
  /** Null for those who may not. */
  onCreate: (() => void) | null;
}

function Head({ q, onSearch, onCreate }: HeadProps) {
  return (
    <ListScreenHead title="Tables" placeholder="Part of a title" q={q} onSearch={onSearch}>
      <span className="spacer" />
      <button
        className="button primary"
        disabled={!onCreate}
        title={onCreate ? undefined : 'Your key lacks the permission TABLE_CREATE.'}
        onClick={() => onCreate?.()}
      >
        New table
      </button>
    </ListScreenHead>
  );
}

function Nothing({ q, onClear, onCreate }: { q: string; onClear: () => void; onCreate: (() => void) | null }) {
  if (q.trim() !== '') return <NothingLike what="table" filters={[`“${q.trim()}” in their title`]} onClear={onClear} />;
  return (
    <Note title="There are no tables yet">
      <p>
        A table is a set of sheets. Cells of a sheet hold texts, or are computed from others by prompts, code and
        checks.
      </p>
      {onCreate && (
        <div className="actions">
          <button className="button" onClick={onCreate}>
            Create a table
          </button>
        </div>
      )}
    </Note>
  );
}

function List({ tables, hasMore, onMore }: { tables: TableBody[]; hasMore: boolean; onMore: () => void }) {
  const [, navigate] = useLocation();
  const [chosen, setActive] = useState(0);
  const active = Math.min(chosen, tables.length - 1);
  const list = useRef<HTMLDivElement>(null);
  const move = (row: number) => {
    setActive(row);
    list.current?.querySelector(`#table-${row}`)?.scrollIntoView({ block: 'nearest' });
  };
  useListKeys({
    count: tables.length,
    active,
    page: () => 15,
    onMove: move,
    onOpen: () => navigate(`/tables/${tables[active]!.id}`),
  });
  return (
    <>
      <div
        ref={list}
        role="grid"
        className="list tables"
        tabIndex={0}
        aria-label="Tables"
        aria-activedescendant={`table-${active}`}
      >
        <div role="rowgroup" className="head">
          <div role="row" className="row">
            {['Title', 'Sheets', 'Created', 'Changed'].map((name) => (
              <div key={name} role="columnheader">
                {name}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup">
          {tables.map((table, at) => (
            <Row key={table.id} table={table} at={at} isActive={at === active} onActivate={() => setActive(at)} />
          ))}
        </div>
      </div>
      <div className="list-foot" role="status">
        {`${count(tables.length)}${hasMore ? '+' : ''} ${tables.length === 1 ? 'table' : 'tables'}`}
        {hasMore && (
          <button className="button" onClick={onMore}>
            More
          </button>
        )}
      </div>
    </>
  );
}

function Row(props: { table: TableBody; at: number; isActive: boolean; onActivate: () => void }) {
  const { table, at, isActive, onActivate } = props;
  return (
    <div role="row" id={`table-${at}`} className="row" aria-selected={isActive}>
      <div role="gridcell" className="ellipsis">
        <Link href={`/tables/${table.id}`} tabIndex={-1} onClick={onActivate}>
          {table.title}
        </Link>
      </div>
      <div role="gridcell">{count(table.sheet_count)}</div>
      <div role="gridcell">{moment(table.created_at)}</div>
      <div role="gridcell">{moment(table.updated_at)}</div>
    </div>
  );
}
