import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { FeedBody, FeedHourBody } from '../api/schema.gen';
import { useSheet } from '../sheet/sheet-data';
import { count } from '../ui/format';
import { Moment } from '../ui/moment';
import { Failure, Waiting } from '../ui/parts';
import { Table, type TableColumn } from '../ui/table';
import { leftOut } from './feed-words';
import { FEED } from './feeds-data';

/** Hours that are shown. */
const MOST = 48;

const COLUMNS: TableColumn<FeedHourBody>[] = [
  { name: 'Hour', cell: ({ hour }) => <Moment at={hour} /> },
  { name: 'Seen', className: 'number', cell: ({ seen }) => count(seen) },
  { name: 'Chosen', className: 'number', cell: ({ chosen }) => count(chosen) },
  { name: 'Left out', cell: leftOut },
];
const GROWN: TableColumn<FeedHourBody> = { name: 'Grown', className: 'number', cell: ({ grown }) => count(grown) };

/** Decisions of a feed in each of the last hours. */
export function FeedHours({ feed }: { feed: FeedBody }) {
  const { path } = useSheet();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['sheet', path, 'feeds', feed.id, 'hours'],
    queryFn: ({ signal }) =>
      api(`GET ${FEED}/hours`, { path: { ...path, feed_id: feed.id }, query: { limit: MOST }, signal }),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Waiting on={isFetching} />;
  if (data.data.length === 0) return <p className="quiet-text">Nothing was decided yet.</p>;
  const columns = feed.source === 'traces' ? [...COLUMNS, GROWN] : COLUMNS;
  return <Table label={`Hours of ${feed.name}`} columns={columns} rows={data.data} keyOf={({ hour }) => hour} />;
}
