import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { useCursorList } from '../api/lists';
import { useHere, WORKSPACE } from '../shell/session-context';
import type { NodeStates } from './graph-parts';

export const POLL_MS = 1000;
const PAGE = 30;

/** A version of a workflow; the newest without a number. */
export function useWorkflow(id: number, version: string) {
  return useQuery({
    queryKey: ['workflow', id, version],
    queryFn: ({ signal }) =>
      api('GET /workflows/{workflow_id_or_name}', {
        path: { workflow_id_or_name: String(id) },
        query: version === '' ? {} : { version: Number(version) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

export function useVersions(id: number) {
  const here = useHere();
  return useCursorList(['workflow-versions', id], async (cursor, signal) => {
    const { items, next_num: next } = await api(`GET ${WORKSPACE}/workflows/{workflow_id}/versions`, {
      path: { ...here, workflow_id: id },
      query: { page: Number(cursor ?? 1), per_page: PAGE },
      signal,
    });
    return { data: items, next_cursor: next === null ? null : String(next) };
  });
}

export function useRuns(id: number) {
  const read = async (cursor: string | undefined, signal: AbortSignal) => {
    const { items, has_more: hasMore } = await api('GET /workflows/{workflow_name}/runs', {
      path: { workflow_name: String(id) },
      query: { before: cursor === undefined ? undefined : Number(cursor), limit: PAGE },
      signal,
    });
    return { data: items, next_cursor: hasMore ? String(items.at(-1)!.workflow_version_execution_id) : null };
  };
  return useCursorList(['workflow-runs', id], read, { isUnderWay: ({ status }) => status === 'running' });
}

/** A run with its inputs, polled until it ends. */
export function useRun(id: string) {
  return useQuery({
    queryKey: ['workflow-run', id],
    queryFn: ({ signal }) =>
      api('GET /workflow-version-executions/{workflow_version_execution_id}', {
        path: { workflow_version_execution_id: Number(id) },
        signal,
      }),
    enabled: id !== '',
    refetchInterval: ({ state: { data } }) => (data?.run.status === 'running' ? POLL_MS : false),
  });
}

const isPending = ({ status }: NodeStates[string]): boolean => status === 'QUEUED' || status === 'RUNNING';

/** The state of each node of a run, polled while nodes are computed. */
export function useNodeStates(id: string) {
  return useQuery({
    queryKey: ['workflow-run-nodes', id],
    queryFn: async ({ signal }) => {
      const query = { workflow_version_execution_id: Number(id), return_all_outputs: true };
      return (await api('GET /workflow-version-execution-results', { query, signal })) as NodeStates;
    },
    enabled: id !== '',
    refetchInterval: ({ state: { data } }) => (data && Object.values(data).some(isPending) ? POLL_MS : false),
  });
}
