import { useQuery } from '@tanstack/react-query';
import { Redirect } from 'wouter';
import { api } from '../api/client';
import { Failure, Note, Waiting } from '../ui/parts';

/** A table opens with its first sheet. */
export default function FirstSheet({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['table', id, 'sheets'],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/tables/{table_id}/sheets', { path: { table_id: id }, query: { limit: 100 }, signal }),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Waiting on />;
  const [first] = data.data;
  if (first) return <Redirect to={`/tables/${id}/${first.id}`} replace />;
  return (
    <Note title="This table has no sheets">
      <p>Create one by the API, or a new table with a sheet.</p>
    </Note>
  );
}
