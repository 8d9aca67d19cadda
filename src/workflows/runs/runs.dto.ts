import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { BodyIdField, MessageField, SuccessField } from '../../platform/http/common-fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { EXAMPLE_WORKFLOW } from '../../platform/example-data.js';
import type { JsonObject } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { NODE_STATUSES } from './run-results.js';
import type { ListedRun, RunRequest } from './runs.service.js';
import { RUN_STATUSES, type RunStatus } from '../shared/run-status.js';
import type { WorkflowRun } from './workflow-run.entity.js';
import { ReuseField } from '../../tables/index.js';

/** Numbers that JSON holds without loss. */
const MAX_RUN_ID = Number.MAX_SAFE_INTEGER;

const metadataSchema = z.record(z.string(), z.string());

export class WorkflowNamePath {
  @TextField({
    query: true,
    minLength: 1,
    description: 'The name of the workflow, or its id.',
    example: EXAMPLE_WORKFLOW,
  })
  workflow_name: string;
}

export class RunWorkflowRequest {
  @TextField({
    optional: true,
    nullable: true,
    maxLength: 255,
    description: 'Release label of the version to run.',
  })
  workflow_label_name?: string | null;

  @BodyIdField('Number of the version to run. Default: the latest.')
  workflow_version_number?: number | null;

  @SchemaField(metadataSchema, {
    optional: true,
    nullable: true,
    description: 'Metadata of the run, as texts by name. Its trace has them as the attribute `metadata`.',
    example: { customer: 'acme' },
  })
  metadata?: Record<string, string> | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'A value for every input of the version, of its type.',
    example: { question: 'Where is my order?' },
  })
  input_variables?: JsonObject | null;

  @BooleanField({
    optional: true,
    nullable: true,
    description: 'Whether live channels get the results of all nodes instead of the first output.',
  })
  return_all_outputs?: boolean | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description: 'URL that gets the results of all nodes by POST when the run has ended, at least once.',
  })
  callback_url?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 64,
    description: 'End of the name of the live channel that gets the results: `workflows:{workflow_id}:run:{suffix}`.',
  })
  channel_name_suffix?: string | null;

  @ReuseField()
  reuse?: boolean | null;
}

export function toRunRequest(body: RunWorkflowRequest): RunRequest {
  return {
    version: body.workflow_version_number,
    label: body.workflow_label_name,
    inputs: body.input_variables ?? {},
    metadata: body.metadata ?? {},
    callbackUrl: body.callback_url || null,
    channel: body.channel_name_suffix?.toLowerCase() || null,
    returnAllOutputs: body.return_all_outputs ?? false,
    asksAgain: !body.reuse,
  };
}

export class RunWorkflowResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @TextField({ nullable: true, description: 'Which inputs were given and are not used; null when all are.' })
  warning: string | null;

  @IntegerField({ description: 'Id of the run, for its results and to cancel it.' })
  workflow_version_execution_id: number;
}

export class RunPath {
  @IntegerField({
    query: true,
    min: 1,
    max: MAX_RUN_ID,
    description: 'Id of the run, from the answer that started it.',
    example: 1,
  })
  workflow_version_execution_id: number;
}

export class RunResultsQuery extends RunPath {
  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description:
      'Whether to answer the results of all nodes instead of the value of the first output node that succeeded.',
  })
  return_all_outputs?: boolean;

  @UuidField({ optional: true, query: true, description: 'Id of the only node to read.' })
  workflow_node_id?: string;

  @TextField({ optional: true, query: true, maxLength: 255, description: 'Name of the only node to read.' })
  workflow_node_name?: string;
}

export class RunNodeBody {
  @EnumField(NODE_STATUSES, {
    description: '`SKIPPED`: the conditions of its edges did not hold, or a node that it depends on was skipped.',
  })
  status: string;

  @JsonField({ nullable: true, description: 'The computed value: any JSON. Null unless the node has succeeded.' })
  value: unknown;

  @TextField({ nullable: true, description: 'Why the node failed or was skipped; null otherwise.' })
  error_message: string | null;

  @TextField({ nullable: true, description: 'The same as `error_message`.' })
  raw_error_message: string | null;

  @BooleanField({ description: 'Whether its value is a result of the workflow.' })
  is_output_node: boolean;

  @DateTimeField({
    optional: true,
    description:
      'When the value was computed that this node has taken over from an earlier call with the same inputs; absent otherwise.',
  })
  reused_from?: string;
}

export class CancelRunResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Id of the run.' })
  workflow_version_execution_id: number;

  @EnumField(RUN_STATUSES, { description: 'Status of the run. One that had ended before stays as it is.' })
  status: RunStatus;
}

export function toCancelResponse({ id, status }: WorkflowRun): CancelRunResponse {
  return { success: true, workflow_version_execution_id: Number(id), status };
}

@Closed()
export class RunsQuery {
  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: MAX_RUN_ID,
    description: 'Only runs with an id lower than this.',
  })
  before?: number;

  @IntegerField({ optional: true, query: true, min: 1, max: 100, default: 30, description: 'Items per page.' })
  limit?: number;
}

export class RunBody {
  @IntegerField({ description: 'Id of the run, for its results and to cancel it.' })
  workflow_version_execution_id: number;

  @IntegerField({ description: 'Number of the version that was run.' })
  version_number: number;

  @EnumField(RUN_STATUSES, { description: '`finished` once every node is final, also when some have failed.' })
  status: RunStatus;

  @JsonObjectField({ values: { type: 'string' }, description: 'The metadata that the run was started with.' })
  metadata: Record<string, string>;

  @DateTimeField({ description: 'When the run was started.' })
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When the run ended; null while it goes on.' })
  finished_at: string | null;
}

export class RunsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [RunBody], description: 'The runs of this page, newest first.' })
  items: RunBody[];

  @ApiProperty({ description: 'Whether there are older runs: pass the id of the last item as `before`.' })
  has_more: boolean;

  @IntegerField({ description: 'Most items per page, as asked for or the default.' })
  limit: number;
}

export function toRunBody({ id, version, status, metadata, createdAt, finishedAt }: ListedRun): RunBody {
  return {
    workflow_version_execution_id: Number(id),
    version_number: version,
    status,
    metadata,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

/** A run with everything that it was started with. */
export class RunDetailBody extends RunBody {
  @IntegerField({ description: 'Id of the workflow.' })
  workflow_id: number;

  @TextField({ description: 'Id of the trace that the run writes. The trace is stored by the time the run has ended.' })
  trace_id: string;

  @JsonObjectField({ description: 'The value of every input, by its name.' })
  input_variables: JsonObject;
}

export class RunResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => RunDetailBody, description: 'The run.' })
  run: RunDetailBody;
}
