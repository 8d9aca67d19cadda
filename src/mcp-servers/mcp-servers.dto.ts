import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { WorkspacePath } from '../access/index.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  MAX_ID,
  TextField,
} from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import type { JsonObject } from '../platform/json.js';
import { MCP_TRANSPORTS, type McpServer, type McpTransport } from './mcp-server.entity.js';
import type { McpReport, McpTool } from './mcp-session.js';

export class McpServerPath extends WorkspacePath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  mcp_server_id: number;
}

const authSchema = z
  .object({
    type: z.literal('bearer'),
    token: z
      .string()
      .max(4000)
      .regex(/^[\x21-\x7e]+$/, 'A token has visible ASCII characters and no spaces'),
  })
  .meta({ id: 'McpServerAuth', description: 'Sent as `Authorization: Bearer …`.' });
type McpAuth = z.infer<typeof authSchema>;

/** Others describe their tools as they like. */
const toolSchema = z
  .looseObject({ type: z.string().optional(), required: z.array(z.string()).optional() })
  .meta({ id: 'McpToolSchema', description: 'The JSON Schema of an object.' });

const headersSchema = z.record(z.string(), z.string());
const changedHeadersSchema = z.record(z.string(), z.string().nullable());

const NameField = (optional: boolean) =>
  TextField({ optional, minLength: 1, maxLength: 255, description: 'A name for people.', example: 'Order system' });

const UrlField = (optional: boolean) =>
  TextField({
    optional,
    minLength: 1,
    maxLength: 2000,
    description:
      'Where the server takes calls: http or https. It must lead to the public internet unless OUTBOUND_ALLOW_PRIVATE is on.',
    example: 'https://tools.example.com/mcp',
  });

const TransportField = (optional: boolean) =>
  EnumField(MCP_TRANSPORTS, {
    optional,
    description: '`streamable_http`, or `sse` for servers of the protocol before 2025-03-26.',
    example: 'streamable_http',
  });

const AuthField = () =>
  SchemaField(authSchema, {
    optional: true,
    nullable: true,
    description: 'null when the server needs no authentication. The token is encrypted and never shown again.',
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
    description: 'Further headers of every request, by name. Their values are encrypted and never shown again.',
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
    description:
      'Headers to set, by name; null in place of a value removes one, null in place of the object removes all.',
    example: { 'X-Team': null },
  })
  headers?: Record<string, string | null> | null;
}

export class McpAuthBody {
  @EnumField(['bearer'])
  type: 'bearer';

  @TextField({ description: 'The last four characters of the token; empty for short tokens.' })
  last_4: string;
}

export class McpServerBody {
  @IntegerField({ description: 'The id that columns use as `mcp_server_id`.' })
  id: number;

  @TextField()
  name: string;

  @TextField()
  url: string;

  @EnumField(MCP_TRANSPORTS)
  transport: McpTransport;

  @ApiProperty({ type: () => McpAuthBody, nullable: true })
  auth: McpAuthBody | null;

  @JsonObjectField({
    values: { type: 'string' },
    description: 'The last four characters of the value of each header; empty for short values.',
  })
  headers: Record<string, string>;

  @IntegerField({ nullable: true, description: 'The API key that created it; null for the operator.' })
  created_by: number | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;
}

export class McpServerResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => McpServerBody })
  mcp_server: McpServerBody;
}

export class McpServersResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [McpServerBody] })
  mcp_servers: McpServerBody[];
}

export class McpToolBody {
  @TextField({ example: 'find_order' })
  name: string;

  @TextField({ nullable: true })
  title: string | null;

  @TextField({ nullable: true })
  description: string | null;

  @SchemaField(toolSchema, { description: 'The JSON Schema of the arguments of the tool.' })
  input_schema: JsonObject;

  @SchemaField(toolSchema, {
    nullable: true,
    description: 'The JSON Schema of structured results, when the server gives one.',
  })
  output_schema: JsonObject | null;
}

export class McpServerTestResponse {
  @ApiProperty({ example: true })
  success: true;

  @BooleanField({ description: 'Whether the server answered and listed its tools.' })
  connected: boolean;

  @TextField({ nullable: true, description: 'What is wrong when it did not.' })
  problem: string | null;

  @TextField({ nullable: true, description: 'The name that the server gives itself.', example: 'orders 1.4.0' })
  server: string | null;

  @ApiProperty({ type: () => [McpToolBody] })
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

/** The token as the service knows it: undefined for what is not given. */
export function tokenOf(auth: McpAuth | null | undefined): string | null | undefined {
  return auth ? auth.token : auth;
}
