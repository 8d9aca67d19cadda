import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { WorkspacePath } from '../access/index.js';
import { PathIdField, SuccessField } from '../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  TextField,
} from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import type { JsonObject } from '../platform/json.js';
import { MCP_TRANSPORTS, type McpServer, type McpTransport } from './mcp-server.entity.js';
import type { McpReport, McpTool } from './mcp-session.js';

export class McpServerPath extends WorkspacePath {
  @PathIdField('The id of the MCP server, from the list of servers.')
  mcp_server_id: number;
}

const authSchema = z
  .object({
    type: z.literal('bearer').meta({ description: 'The token is sent as `Authorization: Bearer …`.' }),
    token: z
      .string()
      .max(4000)
      .regex(/^[\x21-\x7e]+$/, 'A token has visible ASCII characters and no spaces')
      .meta({ description: 'The token: up to 4,000 visible ASCII characters, without spaces.' }),
  })
  .meta({ id: 'McpServerAuth', description: 'Sent as `Authorization: Bearer …`.' });
type McpAuth = z.infer<typeof authSchema>;

/** Others describe their tools as they like. */
const toolSchema = z
  .looseObject({
    type: z.string().optional().meta({ description: 'The type of the value; `object` for arguments.' }),
    required: z.array(z.string()).optional().meta({ description: 'The names of the properties that must be given.' }),
  })
  .meta({ id: 'McpToolSchema', description: 'The JSON Schema of an object.' });

const headersSchema = z.record(z.string(), z.string());
const changedHeadersSchema = z.record(z.string(), z.string().nullable());

const NameField = (optional: boolean) =>
  TextField({ optional, minLength: 1, maxLength: 255, description: 'The display name.', example: 'Order system' });

const UrlField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 2000,
    description:
      'The URL of the MCP server: http or https. It must lead to the public internet unless OUTBOUND_ALLOW_PRIVATE is on.',
    example: 'https://tools.example.com/mcp',
  });

const TransportField = (optional: boolean) =>
  EnumField(MCP_TRANSPORTS, {
    optional,
    description: 'The transport: `streamable_http`, or `sse` for servers of the protocol before 2025-03-26.',
    example: 'streamable_http',
  });

const AuthField = () =>
  SchemaField(authSchema, {
    optional: true,
    nullable: true,
    description:
      'The token to send; null if the server needs no authentication. The token is encrypted and never shown again.',
    example: { type: 'bearer', token: 'an-example-of-a-token' },
  });

export class CreateMcpServerRequest {
  @NameField(false)
  name: string;

  @UrlField(false)
  url: string;

  @TransportField(false)
  transport: McpTransport;

  @AuthField()
  auth?: McpAuth | null;

  @SchemaField(headersSchema, {
    optional: true,
    nullable: true,
    description: 'Further headers to send with every request, by name. Values are encrypted and never shown again.',
    example: { 'X-Team': 'support' },
  })
  headers?: Record<string, string> | null;
}

export class UpdateMcpServerRequest {
  @NameField(true)
  name?: string;

  @UrlField(true)
  url?: string;

  @TransportField(true)
  transport?: McpTransport;

  @AuthField()
  auth?: McpAuth | null;

  @SchemaField(changedHeadersSchema, {
    optional: true,
    nullable: true,
    description: 'Headers to set, by name. null as a value removes that header; null as the object removes all.',
    example: { 'X-Team': null },
  })
  headers?: Record<string, string | null> | null;
}

export class McpAuthBody {
  @EnumField(['bearer'], { description: 'Always `bearer`: the token is sent as `Authorization: Bearer …`.' })
  type: 'bearer';

  @TextField({ description: 'The last four characters of the token; empty for short tokens.' })
  last_4: string;
}

export class McpServerBody {
  @IntegerField({ description: 'The id that columns use as `mcp_server_id`.' })
  id: number;

  @TextField({ description: 'The display name.' })
  name: string;

  @TextField({ description: 'The URL of the MCP server.' })
  url: string;

  @EnumField(MCP_TRANSPORTS, {
    description: 'The transport: `streamable_http`, or `sse` for servers of the protocol before 2025-03-26.',
  })
  transport: McpTransport;

  @ApiProperty({
    type: () => McpAuthBody,
    nullable: true,
    description: 'How requests are authenticated; null when the server needs nothing.',
  })
  auth: McpAuthBody | null;

  @JsonObjectField({
    values: { type: 'string' },
    description:
      'Further headers of every request, by name, each with the last four characters of its value. Short values are shown as empty.',
  })
  headers: Record<string, string>;

  @IntegerField({ nullable: true, description: 'The API key that created it; null for the operator.' })
  created_by: number | null;

  @DateTimeField({ description: 'When the server was registered.' })
  created_at: string;

  @DateTimeField({
    description: 'When these settings were last changed; the time of the registration until the first change.',
  })
  updated_at: string;
}

export class McpServerResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => McpServerBody,
    description: 'The MCP server as it is after the request, without its secrets.',
  })
  mcp_server: McpServerBody;
}

export class McpServersResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [McpServerBody], description: 'All MCP servers of the workspace, newest first.' })
  mcp_servers: McpServerBody[];
}

export class McpToolBody {
  @TextField({ description: 'The name of the tool, as columns name it.', example: 'find_order' })
  name: string;

  @TextField({ nullable: true, description: 'The display name; null if the server provides none.' })
  title: string | null;

  @TextField({
    nullable: true,
    description: 'The description of the tool; null if the server provides none.',
  })
  description: string | null;

  @SchemaField(toolSchema, { description: 'The JSON Schema of the arguments of the tool.' })
  input_schema: JsonObject;

  @SchemaField(toolSchema, {
    nullable: true,
    description: 'The JSON Schema of structured results; null if the server provides none.',
  })
  output_schema: JsonObject | null;
}

export class McpServerTestResponse {
  @SuccessField()
  success: true;

  @BooleanField({ description: 'Whether the server answered and listed its tools.' })
  connected: boolean;

  @TextField({ nullable: true, description: 'Why the test failed; null if it succeeded.' })
  problem: string | null;

  @TextField({
    nullable: true,
    description: 'The name the server reports; null if the test failed.',
    example: 'orders 1.4.0',
  })
  server: string | null;

  @ApiProperty({
    type: () => [McpToolBody],
    description: 'The tools that the server has; empty when it was not reached.',
  })
  tools: McpToolBody[];
}

export function toMcpServerBody(server: McpServer): McpServerBody {
  const { token, headers = {} } = server.secretEnds;
  return {
    id: server.id,
    name: server.name,
    url: server.url,
    transport: server.transport,
    auth: token === undefined ? null : { type: 'bearer', last_4: token },
    headers,
    created_by: server.createdBy,
    created_at: server.createdAt.toISOString(),
    updated_at: server.updatedAt.toISOString(),
  };
}

export function toMcpServerResponse(server: McpServer): McpServerResponse {
  return { success: true, mcp_server: toMcpServerBody(server) };
}

export function toTestResponse(report: McpReport): McpServerTestResponse {
  if ('problem' in report) {
    return { success: true, connected: false, problem: report.problem, server: null, tools: [] };
  }
  return { success: true, connected: true, problem: null, server: report.server, tools: report.tools.map(toToolBody) };
}

function toToolBody({ name, title, description, inputSchema, outputSchema }: McpTool): McpToolBody {
  return {
    name,
    title: title ?? null,
    description: description ?? null,
    input_schema: inputSchema,
    output_schema: outputSchema ?? null,
  };
}

/** Converts the token for the service; undefined when it is missing. */
export function tokenOf(auth: McpAuth | null | undefined): string | null | undefined {
  return auth ? auth.token : auth;
}
