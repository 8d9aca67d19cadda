import { Body, Controller, Delete, Get, Param, Patch, Put, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type AuthenticatedRequest, OperatorToo, WorkspacesService } from '../../access/index.js';
import { LABEL_REFUSALS } from '../../registry/index.js';
import { numberedPage } from '../../platform/http/numbered-page.js';
import { Throws } from '../../platform/http/throws.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import {
  ManagedWorkflowLabelPath,
  ManagedWorkflowPath,
  PlaceWorkflowLabelRequest,
  toVersionHeadBody,
  toWorkflowChange,
  UpdateWorkflowRequest,
  WorkflowDeletedResponse,
  WorkflowLabelResponse,
  WorkflowVersionsQuery,
  WorkflowVersionsResponse,
} from './workflow-administration.dto.js';
import { toWorkflowLabelBody, toWorkflowResponse } from './workflow-bodies.js';
import { WorkflowFolderItem } from './workflow.folder-item.js';
import { WorkflowResponse } from './workflows.dto.js';
import { WorkflowsService } from './workflows.service.js';

/** Routes that the existing API does not have. */
@ApiTags('Workflows')
@Controller('api/admin/v1/workspaces/:workspace_id/workflows/:workflow_id')
export class WorkflowAdministrationController {
  constructor(
    private readonly workflows: WorkflowsService,
    private readonly items: WorkflowFolderItem,
    private readonly workspaces: WorkspacesService,
  ) {}

  @Patch()
  @ApiOperation({
    summary: 'Change the name or the tags of a workflow.',
    description:
      'Changes what is given and answers the workflow with its latest version. 400 `workflow_name_taken` when another workflow has the name.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: WorkflowResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    AccessErrors.permission_missing,
    WorkflowErrors.workflow_not_found,
    WorkflowErrors.workflow_name_taken,
  )
  async update(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedWorkflowPath,
    @Body() body: UpdateWorkflowRequest,
  ): Promise<WorkflowResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    return toWorkflowResponse(await this.workflows.update(caller, path.workflow_id, toWorkflowChange(body)));
  }

  @Delete()
  @ApiOperation({
    summary: 'Delete a workflow.',
    description:
      'The workflow is no longer found or run, and its name becomes free; runs under way go on. A workflow with a protected release label can only be deleted by keys that may move it (403 `label_protected`).',
  })
  @OperatorToo()
  @ApiOkResponse({ type: WorkflowDeletedResponse })
  @Throws(AccessErrors.workspace_not_found, ...LABEL_REFUSALS, WorkflowErrors.workflow_not_found)
  async delete(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedWorkflowPath,
  ): Promise<WorkflowDeletedResponse> {
    await this.items.deleteOne(await this.workspaces.callerIn(request, path.workspace_id), path.workflow_id);
    return { success: true };
  }

  @Get('versions')
  @ApiOperation({
    summary: 'List the versions of a workflow, newest first.',
    description:
      'Returns the number, the message and the labels of each version, page by page. Read the nodes of one with `GET /workflows/{workflow_id_or_name}`.',
  })
  @OperatorToo()
  @ApiOkResponse({ type: WorkflowVersionsResponse })
  @Throws(AccessErrors.workspace_not_found, WorkflowErrors.workflow_not_found)
  async versions(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedWorkflowPath,
    @Query() { page = 1, per_page: perPage = 30 }: WorkflowVersionsQuery,
  ): Promise<WorkflowVersionsResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const { total, versions } = await this.workflows.versions(caller, path.workflow_id, { page, perPage });
    return { items: versions.map(toVersionHeadBody), ...numberedPage(page, perPage, total) };
  }

  @Put('labels/:workflow_label')
  @ApiOperation({
    summary: 'Put a release label on a version of a workflow.',
    description:
      'Moves the label, or creates it when the workflow does not have it. Runs by label use the new version from now on. Protected labels need a key with the role admin or approver (403 `label_protected`).',
  })
  @OperatorToo()
  @ApiOkResponse({ type: WorkflowLabelResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    ...LABEL_REFUSALS,
    WorkflowErrors.workflow_not_found,
    WorkflowErrors.workflow_version_not_found,
  )
  async placeLabel(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedWorkflowLabelPath,
    @Body() { version_number: version }: PlaceWorkflowLabelRequest,
  ): Promise<WorkflowLabelResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    const label = await this.workflows.placeLabel(caller, path.workflow_id, path.workflow_label.trim(), version);
    return { success: true, label: toWorkflowLabelBody(label) };
  }

  @Delete('labels/:workflow_label')
  @ApiOperation({
    summary: 'Remove a release label of a workflow.',
    description:
      'Runs by this label are refused from now on. Protected labels need a key with the role admin or approver (403 `label_protected`).',
  })
  @OperatorToo()
  @ApiOkResponse({ type: WorkflowDeletedResponse })
  @Throws(
    AccessErrors.workspace_not_found,
    ...LABEL_REFUSALS,
    WorkflowErrors.workflow_not_found,
    WorkflowErrors.workflow_label_not_found,
  )
  async deleteLabel(
    @Req() request: AuthenticatedRequest,
    @Param() path: ManagedWorkflowLabelPath,
  ): Promise<WorkflowDeletedResponse> {
    const caller = await this.workspaces.callerIn(request, path.workspace_id);
    await this.workflows.deleteLabel(caller, path.workflow_id, path.workflow_label.trim());
    return { success: true };
  }
}
