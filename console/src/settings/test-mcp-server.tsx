import '../reading/reading.css';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import type { McpServerBody, McpServerTestResponse } from '../api/schema.gen';
import { JsonTree } from '../reading/json-tree';
import { useHere, WORKSPACE } from '../shell/session-context';
import { Dialog } from '../ui/dialog';
import { counted } from '../ui/format';
import { Failure, Waiting } from '../ui/parts';

/** Connects to a server and shows the tools that it has. */
export function TestMcpServer({ server, onClose }: { server: McpServerBody; onClose: () => void }) {
  const path = useHere();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['mcp-server-test', server.id],
    queryFn: ({ signal }) =>
      api(`POST ${WORKSPACE}/mcp-servers/{mcp_server_id}/test`, {
        path: { ...path, mcp_server_id: server.id },
        signal,
      }),
    // Each test is a new one.
    gcTime: 0,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  return (
    <Dialog label="Test an MCP server" className="form-dialog wide" onClose={onClose}>
      <h1 dir="auto">{server.name}</h1>
      <Waiting on={isFetching} />
      {isFetching && <p role="status">Connecting to the server…</p>}
      {error && <Failure error={error} />}
      {!isFetching && data && <Result result={data} />}
      <div className="actions">
        <button className="button" disabled={isFetching} onClick={() => void refetch()}>
          Test again
        </button>
        <button className="button" data-first="" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

function Result({ result: { connected, problem, server, tools } }: { result: McpServerTestResponse }) {
  if (!connected) {
    return (
      <p role="status" dir="auto" className="bad breaks">
        {problem ?? 'The server cannot be reached.'}
      </p>
    );
  }
  return (
    <>
      <p role="status">
        {server !== null && <bdi>{`${server}: `}</bdi>}
        {counted(tools.length, 'tool')}
      </p>
      <ul className="lines" aria-label="Tools">
        {tools.map(({ name, title, description, input_schema: input }) => (
          <li key={name}>
            <code>{name}</code> {title}
            <p dir="auto" className="quiet-text">
              {description}
            </p>
            <JsonTree name="Arguments" value={input} />
          </li>
        ))}
      </ul>
    </>
  );
}
