import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { Throws } from '../../platform/http/throws.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import { toWorkflowLabelBody, toWorkflowResponse, toWorkflowsResponse } from './workflow-bodies.js';
import {
  ListWorkflowsQuery,
  WorkflowLabelsResponse,
  WorkflowPath,
  WorkflowResponse,
  WorkflowsResponse,
  WorkflowVersionQuery,
} from './workflows.dto.js';
import { WorkflowsService } from './workflows.service.js';

@ApiTags('Workflows')
@Controller('workflows')
export class WorkflowsController {
  constructor(private readonly workflows: WorkflowsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the workflows of the workspace, newest first.',
    description: 'Pages by number. All filters given must match. Deleted workflows are listed only with `status`.',
  })
  @ApiOkResponse({ type: WorkflowsResponse })
  async list(@CurrentCaller() caller: Caller, @Query() query: ListWorkflowsQuery): Promise<WorkflowsResponse> {
    return toWorkflowsResponse(query, await this.workflows.list(caller, query));
  }

  @Get(':workflow_id_or_name')
  @ApiOperation({
    summary: 'Read a workflow with one of its versions.',
    description:
      'Default: the latest version. Choose another one by `version` or by `label`, not both (400 `workflow_version_ambiguous`). A workflow whose name is a number is found by its id first. 404 when the workflow, the version or the label does not exist.',
  })
  @ApiOkResponse({ type: WorkflowResponse })
  @Throws(
    WorkflowErrors.workflow_version_ambiguous,
    WorkflowErrors.workflow_not_found,
    WorkflowErrors.workflow_version_not_found,
    WorkflowErrors.workflow_label_not_found,
  )
  async read(
    @CurrentCaller() caller: Caller,
    @Param() path: WorkflowPath,
    @Query() query: WorkflowVersionQuery,
  ): Promise<WorkflowResponse> {
    return toWorkflowResponse(await this.workflows.read(caller, path.workflow_id_or_name, query));
  }

  @Get(':workflow_id_or_name/labels')
  @ApiOperation({
    summary: 'List the release labels of a workflow.',
    description: 'Returns each label with the version that it is on, sorted by name.',
  })
  @ApiOkResponse({ type: WorkflowLabelsResponse })
  @Throws(WorkflowErrors.workflow_not_found)
  async listLabels(@CurrentCaller() caller: Caller, @Param() path: WorkflowPath): Promise<WorkflowLabelsResponse> {
    const labels = await this.workflows.labels(caller, path.workflow_id_or_name);
    return { success: true, release_labels: labels.map(toWorkflowLabelBody) };
  }
}
