import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../api/client';
import type { ToolBody } from '../api/schema.gen';
import { Moment } from '../ui/moment';
import { NamedList } from '../ui/named-list';
import { Table } from '../ui/table';
import { toolPath } from './links';

/** The tools of the workspace. */
export default function Tools() {
  const read = useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tool-registry', { signal }),
    select: ({ tool_registries: all }) => all,
  });
  return (
    <NamedList
      title="Tools"
      what="tool"
      read={read}
      help={
        <p>
          A tool is a function that models can call. Create one with <code>POST /api/public/v2/tool-registry</code>.
        </p>
      }
      table={(items) => <ToolTable tools={items} />}
    />
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
