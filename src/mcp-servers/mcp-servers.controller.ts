import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../platform/http/throws.js';
import { SecretErrors } from '../platform/secrets/secrets.errors.js';
import { McpClient } from './mcp-client.js';
import {
  CreateMcpServerRequest,
  McpServerPath,
  McpServerResponse,
  McpServersResponse,
  McpServerTestResponse,
  tokenOf,
  toMcpServerBody,
  toMcpServerResponse,
  toTestResponse,
  UpdateMcpServerRequest,
} from './mcp-servers.dto.js';
import { McpServerErrors } from './mcp-servers.errors.js';
import { McpServersService } from './mcp-servers.service.js';

@ApiTags('MCP servers')
@Controller('api/admin/v1/workspaces/:workspace_id/mcp-servers')
export class McpServersController {
  constructor(
    private readonly servers: McpServersService,
    private readonly client: McpClient,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the MCP servers of a workspace, newest first, without their secrets.',
    description: 'Only the last four characters of tokens and header values are shown.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: McpServersResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<McpServersResponse> {
    const servers = await this.servers.list(await this.workspaces.callerIn(request, path.workspace_id));
    return { success: true, mcp_servers: servers.map(toMcpServerBody) };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Register an MCP server, so that columns can call its tools.',
    description:
      'The server is not contacted yet: use `POST …/test` for that. A URL in a private network is a 400 `mcp_server_url_refused` unless OUTBOUND_ALLOW_PRIVATE is on. 409 `mcp_server_too_many`: the workspace has as many servers as it can have.',
  })
  @OperatorToo('ADMIN')
  @ApiCreatedResponse({ type: McpServerResponse })
  @Throws(
    McpServerErrors.mcp_server_too_many,
    AccessErrors.workspace_not_found,
    McpServerErrors.mcp_server_url_refused,
    McpServerErrors.mcp_server_headers_refused,
    SecretErrors.secrets_key_missing,
  )
  async create(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() { auth, headers, name, url, transport }: CreateMcpServerRequest,
  ): Promise<McpServerResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const secrets = { token: tokenOf(auth) ?? null, headers: headers ?? {} };
    return toMcpServerResponse(await this.servers.create(caller, { name, url, transport, ...secrets }));
  }

  @Get(':mcp_server_id')
  @ApiOperation({
    summary: 'Read an MCP server, without its secrets.',
    description:
      'Only the last four characters of the token and of header values are shown; they cannot be read again.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: McpServerResponse })
  @Throws(AccessErrors.workspace_not_found, McpServerErrors.mcp_server_not_found)
  async get(@Req() request: AuthenticatedRequest, @Param() path: McpServerPath): Promise<McpServerResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toMcpServerResponse(await this.servers.get(caller, path.mcp_server_id));
  }

  @Patch(':mcp_server_id')
  @ApiOperation({
    summary: 'Change an MCP server.',
    description:
      'Missing fields stay as they are, and cells computed from now on use the new settings. A `url` on another server needs the token and all headers again, or null for them; otherwise this is a 400 `mcp_server_secrets_needed`.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: McpServerResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    McpServerErrors.mcp_server_not_found,
    McpServerErrors.mcp_server_url_refused,
    McpServerErrors.mcp_server_headers_refused,
    McpServerErrors.mcp_server_secrets_needed,
    McpServerErrors.mcp_server_secrets_unreadable,
    SecretErrors.secrets_key_missing,
  )
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: McpServerPath,
    @Body() { auth, ...changes }: UpdateMcpServerRequest,
  ): Promise<McpServerResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const updated = await this.servers.update(caller, path.mcp_server_id, { ...changes, token: tokenOf(auth) });
    return toMcpServerResponse(updated);
  }

  @Delete(':mcp_server_id')
  @ApiOperation({
    summary: 'Delete an MCP server.',
    description: 'Columns that use the server stay, with their values, but fail when they are computed again.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: McpServerResponse })
  @Throws(AccessErrors.workspace_not_found, McpServerErrors.mcp_server_not_found)
  async delete(@Req() request: AuthenticatedRequest, @Param() path: McpServerPath): Promise<McpServerResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toMcpServerResponse(await this.servers.delete(caller, path.mcp_server_id));
  }

  @Post(':mcp_server_id/test')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Test the connection to an MCP server and list its tools.',
    description:
      'The status is 200 even if the server cannot be reached: `connected` is false then, and `problem` says why. No tool is called.',
  })
  @OperatorToo('ADMIN')
  @ApiOkResponse({ type: McpServerTestResponse })
  @Throws(AccessErrors.workspace_not_found, McpServerErrors.mcp_server_not_found)
  async test(@Req() request: AuthenticatedRequest, @Param() path: McpServerPath): Promise<McpServerTestResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.servers.get(caller, path.mcp_server_id);
    return toTestResponse(await this.client.test(caller.workspaceId, path.mcp_server_id));
  }
}
