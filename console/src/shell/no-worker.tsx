import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';

const EVERY_MS = 10_000;

/** Warns beside the progress of long work when no worker is running. */
export function NoWorker() {
  const { data } = useQuery({
    queryKey: ['readiness'],
    queryFn: ({ signal }) => api('GET /health/ready', { signal }),
    refetchInterval: EVERY_MS,
  });
  if (data?.workers !== 0) return null;
  return (
    <span className="bad" title="Work is stored and continues when a worker starts.">
      Waiting for a worker: none is running.
    </span>
  );
}
