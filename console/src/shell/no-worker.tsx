import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';

const EVERY_MS = 10_000;

/** Beside the progress of long work: says when no worker is running, so that nobody waits for nothing. */
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
