import { Body, Controller, Get, HttpCode, Param, Query, Res, type StreamableFile } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { streamJson } from '../../platform/http/json-stream.js';
import { Throws } from '../../platform/http/throws.js';
import { WorkflowErrors } from '../shared/workflows.errors.js';
import { RunCanceller } from './run-canceller.js';
import { RunErrors } from './run.errors.js';
import {
  CancelRunResponse,
  RunBody,
  RunNodeBody,
  RunPath,
  RunResponse,
  RunResultsQuery,
  RunsQuery,
  RunsResponse,
  RunWorkflowRequest,
  RunWorkflowResponse,
  toCancelResponse,
  toRunBody,
  toRunRequest,
  WorkflowNamePath,
} from './runs.dto.js';
import { RunsService } from './runs.service.js';

const NODE_MAP = { type: 'object', additionalProperties: { $ref: getSchemaPath(RunNodeBody) } };
const ANY_VALUE = { nullable: true, description: 'The value of an output node: any JSON value.' };

@ApiTags('Workflows')
@ApiExtraModels(RunNodeBody, RunBody)
@Controller()
export class RunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly canceller: RunCanceller,
  ) {}

  @IdempotentPost('workflows/:workflow_name/run')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Run a workflow.',
    description:
      'Returns at once, with 202 when there is a `callback_url` and with 201 otherwise. The results come on live channels, at the `callback_url`, and from `GET /workflow-version-execution-results`. 400 `workflow_inputs_invalid` when an input is missing or has another type.',
  })
  @HttpCode(201)
  @ApiCreatedResponse({ type: RunWorkflowResponse })
  @ApiAcceptedResponse({ type: RunWorkflowResponse, description: 'The results will be sent to the callback_url.' })
  @Throws(
    WorkflowErrors.workflow_not_found,
    WorkflowErrors.workflow_version_not_found,
    WorkflowErrors.workflow_label_not_found,
    WorkflowErrors.workflow_version_ambiguous,
    RunErrors.workflow_inputs_invalid,
    RunErrors.workflow_callback_refused,
    RunErrors.workflow_not_runnable,
  )
  async run(
    @CurrentCaller() caller: Caller,
    @Param() path: WorkflowNamePath,
    @Body() body: RunWorkflowRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunWorkflowResponse> {
    const request = toRunRequest(body);
    const { id, warning } = await this.runs.start(caller, path.workflow_name, request);
    if (request.callbackUrl !== null) reply.status(202);
    return {
      success: true,
      message: 'Workflow execution created successfully',
      warning,
      workflow_version_execution_id: id,
    };
  }

  @Get('workflow-version-execution-results')
  @ApiOperation({
    summary: 'Read the results of a run of a workflow.',
    description:
      'Returns 202 with the state of every node while the run goes on, and then 200 with the value of the first output node that succeeded. The final answer has every node with `return_all_outputs`, and when no output node succeeded.',
  })
  @ApiOkResponse({ description: 'The run has ended.', schema: { anyOf: [NODE_MAP, ANY_VALUE] } })
  @ApiAcceptedResponse({ description: 'The run goes on.', schema: NODE_MAP })
  @Throws(RunErrors.workflow_run_not_found, RunErrors.workflow_node_not_found)
  async results(
    @CurrentCaller() caller: Caller,
    @Query() query: RunResultsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { isFinal, answer } = await this.runs.read(caller, query.workflow_version_execution_id, {
      returnAllOutputs: query.return_all_outputs ?? false,
      nodeId: query.workflow_node_id,
      nodeName: query.workflow_node_name,
    });
    reply.status(isFinal ? 200 : 202);
    return answer;
  }

  @Get('workflow-version-executions/:workflow_version_execution_id')
  @ApiOperation({
    summary: 'Read a run of a workflow with its inputs.',
    description: 'The values of its nodes come from `GET /workflow-version-execution-results`.',
  })
  @ApiOkResponse({ type: RunResponse })
  @Throws(RunErrors.workflow_run_not_found)
  async detail(@CurrentCaller() caller: Caller, @Param() path: RunPath): Promise<StreamableFile> {
    const { run, workflowId, traceId, inputs, large } = await this.runs.detail(
      caller,
      path.workflow_version_execution_id,
    );
    const fields = JSON.stringify({ ...toRunBody(run), workflow_id: workflowId, trace_id: traceId }).slice(0, -1);
    return streamJson(large.fill(`{"success":true,"run":${fields},"input_variables":${inputs}}}`));
  }

  @IdempotentPost('workflow-version-executions/:workflow_version_execution_id/cancel')
  @ApiOperation({
    summary: 'Cancel a run of a workflow.',
    description:
      'Nodes that are not computed yet fail. A run that has ended stays as it is. 404 when there is no such run in the workspace.',
  })
  @HttpCode(200)
  @ApiOkResponse({ type: CancelRunResponse })
  @Throws(RunErrors.workflow_run_not_found)
  async cancel(@CurrentCaller() { workspaceId }: Caller, @Param() path: RunPath): Promise<CancelRunResponse> {
    const id = String(path.workflow_version_execution_id);
    return toCancelResponse(await this.canceller.cancel(workspaceId, id));
  }

  @Get('workflows/:workflow_name/runs')
  @ApiOperation({
    summary: 'List the runs of a workflow, newest first.',
    description:
      'Returns the state, the version and the metadata of each run, newest first. Pass the id of the last one as `before` to get older ones.',
  })
  @ApiOkResponse({ type: RunsResponse })
  @Throws(WorkflowErrors.workflow_not_found)
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: WorkflowNamePath,
    @Query() { before, limit = 30 }: RunsQuery,
  ): Promise<RunsResponse> {
    const page = { before: before ?? null, limit: limit + 1 };
    const runs = await this.runs.list(caller, path.workflow_name, page);
    return { success: true, items: runs.slice(0, limit).map(toRunBody), has_more: runs.length > limit, limit };
  }
}
