import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { WorkflowErrors } from '../workflows.errors.js';
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
  @ApiOperation({ summary: 'List the workflows of the workspace, newest first.' })
  @ApiOkResponse({ type: WorkflowsResponse })
  @Validates()
  async list(@CurrentCaller() caller: Caller, @Query() query: ListWorkflowsQuery): Promise<WorkflowsResponse> {
    return toWorkflowsResponse(query, await this.workflows.list(caller, query));
  }

  @Get(':workflow_id_or_name')
  @ApiOperation({ summary: 'Read a workflow with its latest version, or with the one that is asked for.' })
  @ApiOkResponse({ type: WorkflowResponse })
  @Validates()
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
  @ApiOperation({ summary: 'List the release labels of a workflow.' })
  @ApiOkResponse({ type: WorkflowLabelsResponse })
  @Validates()
  @Throws(WorkflowErrors.workflow_not_found)
  async listLabels(@CurrentCaller() caller: Caller, @Param() path: WorkflowPath): Promise<WorkflowLabelsResponse> {
    const labels = await this.workflows.labels(caller, path.workflow_id_or_name);
    return { success: true, release_labels: labels.map(toWorkflowLabelBody) };
  }
}
