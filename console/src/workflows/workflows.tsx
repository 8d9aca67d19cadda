import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { api } from '../api/client';
import type { LastRunBody, ListedWorkflowBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { ListScreenHead, NothingLike, Pages } from '../ui/list-screen';
import { Moment } from '../ui/moment';
import { Failure, Note, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { workflowPath } from './links';
import { POLL_MS } from './use-workflow';

const DEFAULTS = { q: '', page: '1' };

/** The workflows with their labels and newest runs. */
export default function Workflows() {
  const [state, set] = useUrlState(DEFAULTS);
  const [, navigate] = useLocation();
  const query = { name: state.q || undefined, page: Number(state.page), sort_by: 'updated_at' } as const;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['workflows', query],
    queryFn: ({ signal }) => api('GET /workflows', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data: shown } }) =>
      shown?.items.some(({ last_run: run }) => run?.status === 'running') ? POLL_MS : false,
  });
  return (
    <>
      <ListScreenHead
        title="Workflows"
        placeholder="Search by name"
        q={state.q}
        onSearch={(q) => set({ q, page: '1' }, { replace: true })}
      >
        <GuardedButton
          className="button primary"
          permission="WORKFLOW_CREATE"
          onClick={() => navigate('/workflows/new')}
        >
          New workflow
        </GuardedButton>
      </ListScreenHead>
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!error && data?.items.length === 0 && <Nothing {...state} onClear={() => set(DEFAULTS)} />}
        {!error && data && data.items.length > 0 && (
          <div className="page-list">
            <WorkflowTable workflows={data.items} />
            <Pages {...data} what="workflow" onPage={(page) => set({ page: String(page) })} />
          </div>
        )}
      </div>
    </>
  );
}

function Nothing({ q, page, onClear }: typeof DEFAULTS & { onClear: () => void }) {
  if (q === '' && page === '1') {
    return (
      <Note title="There are no workflows yet">
        <p>A workflow is a graph of nodes with versions. Each node computes a value from what is before it.</p>
      </Note>
    );
  }
  return <NothingLike what="workflow" filters={[q === '' ? `page ${page}` : `“${q}” in the name`]} onClear={onClear} />;
}

function WorkflowTable({ workflows }: { workflows: ListedWorkflowBody[] }) {
  return (
    <Table
      label="Workflows"
      rows={workflows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Name',
          cell: ({ id, name }) => (
            <Link className="link" href={workflowPath(id)}>
              {name}
            </Link>
          ),
        },
        { name: 'Latest', cell: ({ latest_version_number: latest }) => (latest === null ? '' : `v${latest}`) },
        {
          name: 'Labels',
          cell: ({ release_labels: labels }) =>
            labels.map((label) => (
              <span key={label} className="badge">
                {label}
              </span>
            )),
        },
        { name: 'Tags', cell: ({ tags }) => tags.join(', ') },
        { name: 'Last run', cell: ({ id, last_run: run }) => <LastRun workflow={id} run={run} /> },
        { name: 'Updated', cell: ({ updated_at }) => <Moment at={updated_at} /> },
      ]}
    />
  );
}

function LastRun({ workflow, run }: { workflow: number; run: LastRunBody | null }) {
  if (run === null) return <span className="quiet-text">never</span>;
  const { workflow_version_execution_id: id, status, created_at: at } = run;
  return (
    <Link className="link" href={`${workflowPath(workflow)}?run=${id}`}>
      {status} <Moment at={at} />
    </Link>
  );
}
