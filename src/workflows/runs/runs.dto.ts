import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  MAX_ID,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { SuccessField, MessageField } from '../../platform/http/common-fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { EXAMPLE_WORKFLOW } from '../../platform/example-data.js';
import type { JsonObject } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { NODE_STATUSES } from './run-results.js';
import type { ListedRun, RunRequest } from './runs.service.js';
import type { RunStatus, WorkflowRun } from './workflow-run.entity.js';
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
    description: 'Run the version with this release label.',
  })
  workflow_label_name?: string | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'Run this version. By default it is the latest one.',
  })
  workflow_version_number?: number | null;

  @SchemaField(metadataSchema, {
    optional: true,
    nullable: true,
    description: 'What you want to find in the trace of the run: names with texts.',
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
    description: 'Whether a client that waits on a live channel is told of all nodes instead of the output.',
  })
  return_all_outputs?: boolean | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description: 'The results of all nodes are sent to this URL by POST when the run has ended, at least once.',
  })
  callback_url?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 64,
    description:
      'The end of the name of the live channel `workflows:{workflow_id}:run:{suffix}` on which the results come.',
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

  @TextField({ nullable: true, description: 'What was given and is not used.' })
  warning: string | null;

  @IntegerField({ description: 'Id of the run, for its results and to cancel it.' })
  workflow_version_execution_id: number;
}

export class RunResultsQuery {
  @IntegerField({
    query: true,
    min: 1,
    max: MAX_RUN_ID,
    description: 'Id of the run, from the answer that started it.',
    example: 1,
  })
  workflow_version_execution_id: number;

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description: 'What became of every node instead of the value of the first output node that has succeeded.',
  })
  return_all_outputs?: boolean;

  @UuidField({ optional: true, query: true, description: 'Only this node, as soon as it is final.' })
  workflow_node_id?: string;

  @TextField({ optional: true, query: true, maxLength: 255, description: 'Only the node with this name.' })
  workflow_node_name?: string;
}

export class RunNodeBody {
  @EnumField(NODE_STATUSES, {
    description: '`SKIPPED`: the conditions of its edges did not hold, or a node that it depends on was skipped.',
  })
  status: string;

  @JsonField({ nullable: true, description: 'null unless it has succeeded.' })
  value: unknown;

  @TextField({ nullable: true, description: 'Why the node failed or was skipped; null otherwise.' })
  error_message: string | null;

  @TextField({ nullable: true, description: 'The same as `error_message`.' })
  raw_error_message: string | null;

  @BooleanField({ description: 'Whether its value is a result of the workflow.' })
  is_output_node: boolean;
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

const RUN_STATUSES: readonly RunStatus[] = ['running', 'finished', 'cancelled'];

export class CancelRunResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Id of the run.' })
  workflow_version_execution_id: number;

  @EnumField(RUN_STATUSES, { description: 'A run that had ended before stays as it is.' })
  status: RunStatus;
}

export function toCancelResponse({ id, status }: WorkflowRun): CancelRunResponse {
  return { success: true, workflow_version_execution_id: Number(id), status };
}

@Closed()
export class RunsQuery {
  @IntegerField({ optional: true, query: true, min: 1, max: MAX_RUN_ID, description: 'Only runs with a lower id.' })
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

  @ApiProperty({ type: () => [RunBody], description: 'The latest first.' })
  items: RunBody[];

  @ApiProperty({ description: 'Whether there are older ones: ask for those `before` the id of the last item.' })
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
