import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { ToolBody } from '../api/schema.gen';
import { counted } from '../ui/format';
import { ListScreenHead, NothingLike } from '../ui/list-screen';
import { Moment } from '../ui/moment';
import { Failure, Note, Waiting } from '../ui/parts';
import { Table } from '../ui/table';
import { useUrlState } from '../ui/url-state';
import { toolPath } from './links';

const DEFAULTS = { q: '' };

/** The tools of the workspace. */
export default function Tools() {
  const [{ q }, set] = useUrlState(DEFAULTS);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tool-registry', { signal }),
  });
  const all = data?.tool_registries;
  const tools = all?.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()));
  return (
    <>
      <ListScreenHead
        title="Tools"
        placeholder="A part of the name"
        q={q}
        onSearch={(words) => set({ q: words }, { replace: true })}
      />
      <Waiting on={isFetching} />
      <div className="screen-body">
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {all?.length === 0 && (
          <Note title="There are no tools yet">
            <p>
              A tool is a function that models can call. Create one with <code>POST /api/public/v2/tool-registry</code>.
            </p>
          </Note>
        )}
        {all && all.length > 0 && tools?.length === 0 && (
          <NothingLike what="tool" filters={[`“${q}” in the name`]} onClear={() => set(DEFAULTS)} />
        )}
        {tools && tools.length > 0 && (
          <div className="page-list">
            <ToolTable tools={tools} />
            <p className="quiet-text">{counted(tools.length, 'tool')}</p>
          </div>
        )}
      </div>
    </>
  );
}

function ToolTable({ tools }: { tools: ToolBody[] }) {
  return (
    <Table
      label="Tools"
      rows={tools}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Name',
          cell: ({ id, name }) => (
            <Link className="link" href={toolPath(id)}>
              {name}
            </Link>
          ),
        },
        { name: 'Description', className: 'breaks', cell: ({ description }) => description ?? '' },
        { name: 'Created', cell: ({ created_at }) => <Moment at={created_at} /> },
        { name: 'Updated', cell: ({ updated_at }) => <Moment at={updated_at} /> },
      ]}
    />
  );
}
