import { Body, Controller, Get, HttpCode, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type AuthenticatedRequest, Authenticator, OperatorOnly } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import {
  CreateWorkspaceDeletionRequest,
  toWantedDeletion,
  toWorkspaceDeletionBody,
  WorkspaceDeletionResponse,
  WorkspaceDeletionsResponse,
} from './workspace-deletions.dto.js';
import { WorkspaceDeletionErrors } from './workspace-deletions.errors.js';
import { WorkspaceDeletions } from './workspace-deletions.service.js';

@ApiTags('Administration')
@Controller('api/admin/v1/workspace-deletions')
export class WorkspaceDeletionsController {
  constructor(
    private readonly deletions: WorkspaceDeletions,
    private readonly authenticator: Authenticator,
  ) {}

  @IdempotentPost()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Delete a workspace with everything in it, or count what that would delete.',
    description:
      'Without `dry_run: false` rows are only counted. A deletion closes the workspace at once: its keys, members, sessions and invitations end, and all requests for it get 404 or 401. A worker then deletes its rows; read the list until it has ended. It cannot be undone. A deletion that failed is repeated by the same request. Users keep their accounts. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiAcceptedResponse({ type: WorkspaceDeletionResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    WorkspaceDeletionErrors.workspace_name_differs,
    WorkspaceDeletionErrors.workspace_deletion_running,
  )
  async create(
    @Req() { id }: AuthenticatedRequest,
    @Body() body: CreateWorkspaceDeletionRequest,
  ): Promise<WorkspaceDeletionResponse> {
    const deletion = await this.deletions.create(id, toWantedDeletion(body));
    this.authenticator.forget();
    return { success: true, workspace_deletion: toWorkspaceDeletionBody(deletion) };
  }

  @Get()
  @ApiOperation({
    summary: 'List deletions of workspaces.',
    description:
      'Newest first, with their progress. Records stay after a workspace is gone. Only the operator may do this, with the ADMIN_TOKEN of the server; API keys get 401.',
  })
  @OperatorOnly()
  @ApiOkResponse({ type: WorkspaceDeletionsResponse })
  async list(): Promise<WorkspaceDeletionsResponse> {
    return { success: true, workspace_deletions: (await this.deletions.list()).map(toWorkspaceDeletionBody) };
  }
}
