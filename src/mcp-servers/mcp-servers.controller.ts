import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  AccessErrors,
  type AuthenticatedRequest,
  Can,
  OperatorToo,
  WorkspacePath,
  WorkspacesService,
} from '../access/index.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { Throws, Validates } from '../platform/http/throws.js';
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
  @ApiOperation({ summary: 'List the MCP servers of a workspace, newest first, without their secrets.' })
  @Can('ADMIN')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: McpServersResponse })
  @Throws(AccessErrors.workspace_not_found)
  async list(@Req() request: AuthenticatedRequest, @Param() path: WorkspacePath): Promise<McpServersResponse> {
    const servers = await this.servers.list(await this.workspaces.callerIn(request, path.workspace_id));
    return { success: true, mcp_servers: servers.map(toMcpServerBody) };
  }

  @IdempotentPost()
  @ApiOperation({ summary: 'Register an MCP server, so that columns can call its tools. Nothing is called yet.' })
  @Can('ADMIN')
  @OperatorToo()
  @Validates()
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
  @ApiOperation({ summary: 'Read an MCP server, without its secrets.' })
  @Can('ADMIN')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: McpServerResponse })
  @Throws(AccessErrors.workspace_not_found, McpServerErrors.mcp_server_not_found)
  async get(@Req() request: AuthenticatedRequest, @Param() path: McpServerPath): Promise<McpServerResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toMcpServerResponse(await this.servers.get(caller, path.mcp_server_id));
  }

  @Patch(':mcp_server_id')
  @ApiOperation({
    summary:
      'Change an MCP server. Fields that are not given stay as they are. Cells that are computed afterwards use the new settings.',
  })
  @Can('ADMIN')
  @OperatorToo()
  @Validates()
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
  @ApiOperation({ summary: 'Delete an MCP server. Columns that call it fail from now on.' })
  @Can('ADMIN')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: McpServerResponse })
  @Throws(AccessErrors.workspace_not_found, McpServerErrors.mcp_server_not_found)
  async delete(@Req() request: AuthenticatedRequest, @Param() path: McpServerPath): Promise<McpServerResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toMcpServerResponse(await this.servers.delete(caller, path.mcp_server_id));
  }

  @Post(':mcp_server_id/test')
  @HttpCode(200)
  @ApiOperation({ summary: 'Connect to an MCP server and list its tools, or say what is wrong.' })
  @Can('ADMIN')
  @OperatorToo()
  @Validates()
  @ApiOkResponse({ type: McpServerTestResponse })
  @Throws(AccessErrors.workspace_not_found, McpServerErrors.mcp_server_not_found)
  async test(@Req() request: AuthenticatedRequest, @Param() path: McpServerPath): Promise<McpServerTestResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.servers.get(caller, path.mcp_server_id);
    return toTestResponse(await this.client.test(caller.workspaceId, path.mcp_server_id));
  }
}
