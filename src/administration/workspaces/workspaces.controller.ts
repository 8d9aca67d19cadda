import { Body, Controller, Get, Param, Patch, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import {
  toWorkspaceBody,
  UpdateWorkspaceRequest,
  WorkspaceRequest,
  WorkspaceResponse,
  WorkspacesResponse,
} from '../shared/administration.dto.js';
import {
  AccessErrors,
  type AuthenticatedRequest,
  OperatorOnly,
  WorkspacePath,
  WorkspacesService,
} from '../../access/index.js';

@ApiTags('Administration')
@Controller('api/admin/v1/workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @Get()
  @ApiOperation({
    summary: 'List the workspaces of the installation.',
    description:
      'Oldest first, without pages. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: WorkspacesResponse })
  async list(): Promise<WorkspacesResponse> {
    const workspaces = await this.workspaces.list();
    return { success: true, workspaces: workspaces.map(toWorkspaceBody) };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Create a workspace.',
    description:
      'The workspace has no API keys at first: create one with `POST …/api-keys`. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiCreatedResponse({ type: WorkspaceResponse })
  async create(@Req() request: AuthenticatedRequest, @Body() body: WorkspaceRequest): Promise<WorkspaceResponse> {
    return { success: true, workspace: toWorkspaceBody(await this.workspaces.create(request, body.name)) };
  }

  @Patch(':workspace_id')
  @ApiOperation({
    summary: 'Change the name or the plan of a workspace.',
    description:
      'Missing fields stay as they are. A smaller plan deletes nothing, but rejects new skill collections and files beyond its limits. Only the operator may do this; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: WorkspaceResponse })
  @Throws(AccessErrors.workspace_not_found)
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: WorkspacePath,
    @Body() { name, plan }: UpdateWorkspaceRequest,
  ): Promise<WorkspaceResponse> {
    const workspace = await this.workspaces.update(request, path.workspace_id, { name, plan });
    return { success: true, workspace: toWorkspaceBody(workspace) };
  }
}
