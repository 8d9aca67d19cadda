import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { ToolBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { Moment } from '../ui/moment';
import { NamedList } from '../ui/named-list';
import { Table } from '../ui/table';
import { toolPath } from './links';
import { NewTool } from './write-tool';

/** The tools of the workspace. */
export default function Tools() {
  const [isCreating, setCreating] = useState(false);
  const read = useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tool-registry', { signal }),
    select: ({ tool_registries: all }) => all,
  });
  return (
    <>
      <NamedList
        title="Tools"
        what="tool"
        read={read}
        help={<p>A tool is a function that models can call. It has versions and labels, and may have code.</p>}
        actions={
          <GuardedButton className="button primary" permission="TOOL_CREATE" onClick={() => setCreating(true)}>
            New tool
          </GuardedButton>
        }
        table={(items) => <ToolTable tools={items} />}
      />
      {isCreating && <NewTool onClose={() => setCreating(false)} />}
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
