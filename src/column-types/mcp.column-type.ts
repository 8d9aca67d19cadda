import type { EntityManager } from 'typeorm';
import { McpClient, McpFailure, McpServersService } from '../mcp-servers/index.js';
import { BodyIdField } from '../platform/http/common-fields.js';
import { JsonObjectField, TextField } from '../platform/http/fields.js';
import { isObject, type JsonObject, type JsonValue } from '../platform/json.js';
import { OutboundClient } from '../platform/outbound/outbound.client.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
  type InputColumn,
} from '../grid/column-type/column-type.js';
import { SourceMap } from '../grid/column-type/source-fields.js';
import { outsideFailure } from './outside-failure.js';

class McpConfig {
  @BodyIdField('A server of the workspace: its id in GET /api/admin/v1/workspaces/{workspace_id}/mcp-servers.')
  mcp_server_id?: number | null;

  @TextField({
    picker: 'tools',
    minLength: 1,
    maxLength: 255,
    description: 'The tool to call. POST …/mcp-servers/{mcp_server_id}/test lists those of a server.',
    example: 'find_order',
  })
  tool_name: string;

  @SourceMap({
    description: 'A column (its title or its id) for each argument of the tool; null or "" leaves an argument out.',
    example: { query: 'Column A' },
  })
  input_mappings: JsonObject;

  @TextField({
    advanced: true,
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 2000,
    description: 'The older form: the URL of a server that is not registered, instead of `mcp_server_id`.',
    example: 'https://tools.example.com/mcp',
  })
  server_url?: string | null;

  @JsonObjectField({
    advanced: true,
    optional: true,
    nullable: true,
    description:
      'The credentials for `server_url`: `{"type": "bearer", "token": "…"}`. Everybody who may read the sheet can read them; those of registered servers nobody can.',
  })
  auth?: JsonObject | null;
}

@ColumnType({
  name: 'MCP',
  title: 'MCP tool',
  description:
    'The result of a tool of an MCP server: its structured result, or the text of a single part, or else the list of its parts. Values are ' +
    'converted to the types in the input schema of the tool where that is unambiguous. A tool that reports an error fails the cell. Busy servers ' +
    'and broken connections are retried, so a tool may be called more than once for a cell.',
  kind: 'external',
  group: 'outside',
  output: 'json',
  config: McpConfig,
  olderKeys: { function_name: 'tool_name' },
  normalize,
  // A tool may have side effects, and its result may differ every time.
  reusesResults: false,
})
export class McpColumnType implements ExternalColumnType<McpConfig> {
  constructor(
    private readonly client: McpClient,
    private readonly servers: McpServersService,
    private readonly outbound: OutboundClient,
  ) {}

  check({ mcp_server_id: id, server_url: url, auth }: McpConfig): void {
    const isRegistered = typeof id === 'number';
    const isGiven = typeof url === 'string';
    if (isRegistered === isGiven) throw new Error('Give either mcp_server_id or, in the older form, server_url.');
    if (isRegistered && auth) throw new Error('auth goes with server_url; a registered server has its own.');
    const problem = isGiven ? this.outbound.findProblem(url) : null;
    if (problem) throw new Error(`server_url: ${problem}`);
    headersOf(auth);
  }

  async findMissing(
    tx: EntityManager,
    { mcp_server_id: id }: McpConfig,
    { workspaceId }: { workspaceId: number },
  ): Promise<string | null> {
    if (typeof id !== 'number' || (await this.servers.exists(tx, workspaceId, id))) return null;
    return `mcp_server_id: There is no MCP server ${id} in this workspace.`;
  }

  async compute({ config, inputs }: CellRow<McpConfig>, context: CellContext): Promise<CellResult> {
    const args = argumentsOf(config.input_mappings, inputs);
    try {
      return { value: await this.call(config, args, context) };
    } catch (error) {
      if (error instanceof McpFailure) throw outsideFailure(error.message, error);
      throw error;
    }
  }

  private call(config: McpConfig, args: JsonObject, { workspaceId, signal }: CellContext): Promise<JsonValue> {
    const { mcp_server_id: id, tool_name: tool, server_url: url, auth } = config;
    if (typeof id === 'number') return this.client.callTool({ workspaceId, serverId: id }, tool, args, signal);
    return this.client.callToolAt(
      { workspaceId, url: url!, transport: null, headers: headersOf(auth) },
      tool,
      args,
      signal,
    );
  }
}

/** The older form may do without arguments. */
function normalize(config: JsonObject): JsonObject {
  return typeof config.server_url === 'string' ? { input_mappings: {}, ...config } : config;
}

/** Passes only arguments that have a column: null would be a value for the tool. */
function argumentsOf(mappings: JsonObject, inputs: InputColumn[]): JsonObject {
  const mapped = new Set(inputs.map(({ variable }) => variable));
  return Object.fromEntries(Object.entries(mappings).filter(([name]) => mapped.has(name)));
}

function headersOf(auth: JsonObject | null | undefined): Record<string, string> {
  if (!auth) return {};
  if (!isObject(auth)) throw new Error('auth should be an object.');
  const { type = 'bearer', token } = auth;
  if (String(type).toLowerCase() === 'none') return {};
  if (String(type).toLowerCase() !== 'bearer') throw new Error('auth: type should be "bearer" or "none".');
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,4000}$/.test(token)) {
    throw new Error('auth: token should be a text of visible ASCII characters without spaces.');
  }
  return { authorization: `Bearer ${token}` };
}
