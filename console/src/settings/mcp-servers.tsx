import { useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { McpServerBody } from '../api/schema.gen';
import { GuardedButton } from '../shell/permissions';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Field, FormDialog, type FormValues, SelectField } from '../ui/form';
import { Moment } from '../ui/moment';
import { Table } from '../ui/table';
import { readHeaders } from './mcp-headers';
import { TestMcpServer } from './test-mcp-server';
import { Section } from './section';

type Open = { kind: 'new' } | { kind: 'test' | 'delete'; server: McpServerBody } | null;

/** Servers whose tools columns and nodes can call. */
export function McpServers() {
  const path = useHere();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Section
        title="MCP servers"
        about="Columns and workflows can call the tools of these servers. Tokens and headers are stored encrypted."
        permission="ADMIN"
        to="see and change MCP servers"
        queryKey={['mcp-servers']}
        read={(signal) => api(`GET ${WORKSPACE}/mcp-servers`, { path, signal })}
        actions={
          <GuardedButton permission="ADMIN" className="button primary" onClick={() => setOpen({ kind: 'new' })}>
            New MCP server
          </GuardedButton>
        }
      >
        {({ mcp_servers: servers }) =>
          servers.length === 0 ? (
            <p>There are no MCP servers yet. Add one with its URL to call its tools.</p>
          ) : (
            <ServerTable servers={servers} onOpen={setOpen} />
          )
        }
      </Section>
      {open?.kind === 'new' && <NewServer onClose={close} onCreated={(server) => setOpen({ kind: 'test', server })} />}
      {open?.kind === 'test' && <TestMcpServer server={open.server} onClose={close} />}
      {open?.kind === 'delete' && <DeleteServer server={open.server} onClose={close} />}
    </>
  );
}

const TRANSPORTS = { streamable_http: 'Streamable HTTP', sse: 'Server-sent events' };

function ServerTable({ servers, onOpen }: { servers: McpServerBody[]; onOpen: (open: Open) => void }) {
  return (
    <Table
      label="MCP servers"
      rows={servers}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Server',
          cell: ({ name, url }) => (
            <>
              {name}
              <div>
                <code className="breaks">{url}</code>
              </div>
            </>
          ),
        },
        { name: 'Transport', cell: ({ transport }) => TRANSPORTS[transport] },
        { name: 'Token', className: 'mono', cell: ({ auth }) => (auth === null ? 'none' : `…${auth.last_4}`) },
        { name: 'Added', cell: ({ created_at }) => <Moment at={created_at} /> },
        {
          name: '',
          className: 'buttons',
          cell: (server) => (
            <>
              <button className="button" onClick={() => onOpen({ kind: 'test', server })}>
                Test
              </button>
              <button className="button" onClick={() => onOpen({ kind: 'delete', server })}>
                Delete
              </button>
            </>
          ),
        },
      ]}
    />
  );
}

interface NewProps {
  onClose: () => void;
  onCreated: (server: McpServerBody) => void;
}

function NewServer({ onClose, onCreated }: NewProps) {
  const path = useHere();
  const refresh = useRefresh('mcp-servers');
  const create = async (values: FormValues) => {
    const token = values.text('token');
    const { mcp_server: server } = await api(`POST ${WORKSPACE}/mcp-servers`, {
      path,
      body: {
        name: values.text('name'),
        url: values.text('url'),
        transport: values.text('transport') as McpServerBody['transport'],
        ...(token !== '' && { auth: { type: 'bearer', token } }),
        headers: readHeaders(values.raw('headers')),
      },
    });
    await refresh();
    return server;
  };
  return (
    <FormDialog title="New MCP server" submit="Add the server" onSubmit={create} onDone={onCreated} onClose={onClose}>
      <Field label="Name" isRequired>
        <input className="field" name="name" required maxLength={255} data-first="" />
      </Field>
      <Field label="URL" hint="http or https. Private addresses are rejected unless the server allows them." isRequired>
        <input className="field" name="url" required maxLength={2000} />
      </Field>
      <SelectField label="Transport" name="transport" options={TRANSPORTS} />
      <Field label="Bearer token" hint="Optional. It cannot be read again.">
        <input className="field" name="token" type="password" autoComplete="off" />
      </Field>
      <Field label="Headers" hint="One per line, such as X-Team: search. Sent with every request.">
        <textarea className="field mono" name="headers" rows={2} />
      </Field>
    </FormDialog>
  );
}

function DeleteServer({ server, onClose }: { server: McpServerBody; onClose: () => void }) {
  const path = useHere();
  const refresh = useRefresh('mcp-servers');
  const remove = async () => {
    await api(`DELETE ${WORKSPACE}/mcp-servers/{mcp_server_id}`, { path: { ...path, mcp_server_id: server.id } });
    await refresh();
  };
  return (
    <FormDialog title="Delete this MCP server?" submit="Delete" isDangerous onSubmit={remove} onClose={onClose}>
      <p>
        Columns and workflows that call tools of <bdi>{server.name}</bdi> fail from then on.
      </p>
    </FormDialog>
  );
}
