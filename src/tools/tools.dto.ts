import { ApiProperty } from '@nestjs/swagger';
import { EnvVarBody, EnvVarPath, type ShownEnvVar, toEnvVarBody } from '../env-vars/index.js';
import { ExternalIdBody, ExternalIdsField, ShownExternalIdsField } from '../external-ids/index.js';
import {
  BodyIdField,
  CommitMessageField,
  CreatedAtField,
  FolderIdField,
  NewCommitMessageField,
  SavedAtField,
  SuccessField,
  VersionQueryField,
  WorkspaceIdField,
} from '../platform/http/common-fields.js';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  TextField,
} from '../platform/http/fields.js';
import { JsonSchemaObject } from '../llm/shared/blueprint.schema.js';
import { ReleaseLabelsField } from '../platform/http/release-labels.js';
import { SchemaField } from '../platform/http/schema-field.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { FunctionOutcome } from '../platform/sandbox/code-runner.js';
import type { LabelOnVersion, WithExternalIds } from '../registry/index.js';
import type { Tool, ToolVersion } from './tool.entity.js';
import { ToolDefinitionSchema, type ToolExecution, ToolExecutionSchema } from './tool.schema.js';
import type { ToolTest } from './tool-testing.service.js';
import type { NewTool, ReadTool, VersionContent } from './tools.service.js';

export class ToolPath {
  @TextField({ query: true, minLength: 1, description: 'The id of the tool, or its name.' })
  tool_identifier: string;
}

export class ToolVersionQuery {
  @TextField({
    optional: true,
    query: true,
    maxLength: 255,
    description: 'A label of the tool. Takes precedence over `version`.',
  })
  label?: string;

  @VersionQueryField()
  version?: number;
}

const EXAMPLE = { type: 'function', function: { name: 'add', description: 'Adds two numbers.' } };

const DefinitionField = () =>
  SchemaField(ToolDefinitionSchema, { description: 'The definition of the tool, as models get it.', example: EXAMPLE });

const ExecutionField = () =>
  SchemaField(ToolExecutionSchema, {
    optional: true,
    nullable: true,
    description: 'The code that runs the tool; null for a tool that only your own program can run.',
    example: { type: 'code', language: 'javascript', code: 'return args.a + args.b;' },
  });

export class SaveToolVersionRequest {
  @DefinitionField()
  tool_definition: JsonObject;

  @ExecutionField()
  execution?: ToolExecution | null;

  @SchemaField(JsonSchemaObject, {
    optional: true,
    nullable: true,
    description: 'The JSON Schema of the result of the tool.',
  })
  response_schema?: JsonObject | null;

  @NewCommitMessageField('Adds floats as well')
  commit_message?: string | null;

  @ReleaseLabelsField()
  release_labels?: string[] | null;
}

export class CreateToolRequest extends SaveToolVersionRequest {
  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'The name of the tool, unique in the workspace.',
    example: 'adder',
  })
  name: string;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description: 'The purpose of the tool, for display. Models read the description in `tool_definition`.',
  })
  description?: string | null;

  @BodyIdField('The folder to put the tool into. Default: the top level.')
  folder_id?: number | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;
}

export class TestToolRequest {
  @JsonObjectField({
    optional: true,
    description: 'The arguments, which the code finds in `args`.',
    example: { a: 1, b: 2 },
  })
  inputs?: JsonObject;

  @ExecutionField()
  execution?: ToolExecution | null;

  @SchemaField(ToolDefinitionSchema, {
    optional: true,
    nullable: true,
    description:
      'A definition to use in place of the one of the version. Its function name is the name of the function that runs.',
  })
  tool_definition?: JsonObject | null;
}

export class ToolBody {
  @IntegerField({ description: 'The id of the tool, which all its versions share.' })
  id: number;

  @TextField({ description: 'The name of the tool, unique in the workspace.' })
  name: string;

  @TextField({ nullable: true, description: 'The purpose of the tool, for display; null if it has no description.' })
  description: string | null;

  @WorkspaceIdField()
  workspace_id: number;

  @FolderIdField('the tool')
  folder_id: number | null;

  @CreatedAtField('the tool')
  created_at: string;

  @DateTimeField({ description: 'When the tool was last changed or got a new version.' })
  updated_at: string;

  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];
}

export class ToolVersionBody {
  @IntegerField({ description: 'The id of the version, which is unique among the versions of all tools.' })
  id: number;

  @IntegerField({ description: 'The tool that the version belongs to.' })
  tool_registry_id: number;

  @IntegerField({ description: 'The number of the version, counted from 1.' })
  version_number: number;

  @IntegerField({ description: 'The same as `version_number`.' })
  number: number;

  @DefinitionField()
  tool_definition: JsonObject;

  @SchemaField(ToolExecutionSchema, {
    nullable: true,
    description: 'The code that runs the tool; null for a tool that only your own program can run.',
  })
  execution: ToolExecution | null;

  @SchemaField(JsonSchemaObject, {
    nullable: true,
    description: 'The JSON Schema of what the tool gives back; null when none was given.',
  })
  response_schema: JsonObject | null;

  @CommitMessageField()
  commit_message: string | null;

  @IntegerField({
    nullable: true,
    description: 'The API key that saved the version; null if it was saved without one.',
  })
  created_by: number | null;

  @SavedAtField()
  created_at: string;
}

export class ToolLabelBody {
  @IntegerField({ description: 'The id of the label.' })
  id: number;

  @TextField({ description: 'The name of the label.' })
  name: string;

  @IntegerField({ description: 'The id of the version that the label names.' })
  version_id: number;

  @IntegerField({ description: 'The number of the version that the label names.' })
  version_number: number;

  @CreatedAtField('the label')
  created_at: string;
}

export class ToolDetailBody extends ToolBody {
  @ApiProperty({ type: () => [ToolLabelBody], description: 'All labels of the tool.' })
  labels: ToolLabelBody[];

  @ApiProperty({ type: () => ToolVersionBody, description: 'The version that was requested: the latest by default.' })
  version: ToolVersionBody;

  @DefinitionField()
  tool_definition: JsonObject;
}

export class ToolsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [ToolBody], description: 'The tools of the workspace, the latest updated first.' })
  tool_registries: ToolBody[];
}

export class ToolResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ToolDetailBody, description: 'The tool with its labels and one version.' })
  tool_registry: ToolDetailBody;
}

export class ToolVersionResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ToolVersionBody, description: 'The version that was saved.' })
  version: ToolVersionBody;
}

export class ToolCreatedResponse extends ToolVersionResponse {
  @ApiProperty({ type: () => ToolBody, description: 'The new tool.' })
  tool_registry: ToolBody;

  @ShownExternalIdsField()
  external_ids: ExternalIdBody[];
}

class ToolFailureBody {
  @TextField({ description: 'The class of the exception that the code threw.', example: 'ValueError' })
  type: string;

  @TextField({ description: 'The message of the exception, with the line number.' })
  message: string;
}

class ToolResultBody {
  @EnumField(['success', 'error'], {
    description: '`success` when the code returned something, `error` when it failed.',
  })
  status: 'success' | 'error';

  @JsonField({ nullable: true, description: 'The return value of the code; null if it failed.' })
  result: JsonValue;

  @TextField({ description: 'The standard output of the code. Long output is cut.' })
  stdout: string;

  @TextField({ description: 'The standard error of the code. Long output is cut.' })
  stderr: string;

  @IntegerField({ description: 'How long the code ran, in milliseconds.' })
  duration_ms: number;

  @ApiProperty({
    type: () => ToolFailureBody,
    nullable: true,
    description: 'The exception the code threw; null if it succeeded.',
  })
  error: ToolFailureBody | null;
}

export class TestToolResponse {
  @SuccessField()
  success: true;

  @TextField({ description: 'The outcome as a sentence, for display.' })
  message: string;

  @ApiProperty({ type: () => ToolResultBody, description: 'The outcome of the code.' })
  result: ToolResultBody;
}

export class ToolEnvVarPath extends EnvVarPath {
  @TextField({ query: true, minLength: 1, description: 'The id of the tool, or its name.' })
  tool_identifier: string;
}

export class ToolEnvVarBody extends EnvVarBody {
  @IntegerField({ description: 'The tool that the variable belongs to.' })
  tool_registry_id: number;
}

export class ToolEnvVarResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => ToolEnvVarBody,
    description: 'The variable as it is after the request, without its value.',
  })
  tool_env_var: ToolEnvVarBody;
}

export class ToolEnvVarsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [ToolEnvVarBody],
    description: 'The variables of the tool, by name, without those of the workspace.',
  })
  tool_env_vars: ToolEnvVarBody[];
}

export const toLabels = ({ release_labels: labels }: SaveToolVersionRequest): string[] => labels ?? [];

export function toContent(body: SaveToolVersionRequest): VersionContent {
  return {
    definition: body.tool_definition,
    execution: body.execution ?? null,
    responseSchema: body.response_schema ?? null,
    commitMessage: body.commit_message ?? null,
  };
}

export function toNewTool(body: CreateToolRequest): NewTool {
  const { name, description = null, folder_id: folderId = null, external_ids: externalIds } = body;
  const common = { name: name.trim(), description, folderId, externalIds: externalIds ?? [] };
  return { ...common, content: toContent(body), labels: toLabels(body) };
}

export function toToolTest(query: ToolVersionQuery, body: TestToolRequest): ToolTest {
  const { inputs = {}, execution = null, tool_definition: definition = null } = body;
  return { ...query, inputs, execution, definition };
}

export function toToolBody(tool: WithExternalIds<Tool>): ToolBody {
  return {
    id: tool.id,
    name: tool.name,
    description: tool.description,
    workspace_id: tool.workspaceId,
    folder_id: tool.folderId,
    created_at: tool.createdAt.toISOString(),
    updated_at: tool.updatedAt.toISOString(),
    external_ids: tool.externalIds,
  };
}

export function toToolVersionBody(version: ToolVersion): ToolVersionBody {
  return {
    id: version.id,
    tool_registry_id: version.toolId,
    version_number: version.number,
    number: version.number,
    tool_definition: version.definition,
    execution: version.execution,
    response_schema: version.responseSchema,
    commit_message: version.commitMessage,
    created_by: version.createdBy,
    created_at: version.createdAt.toISOString(),
  };
}

export function toToolLabelBody(label: LabelOnVersion): ToolLabelBody {
  return {
    id: label.id,
    name: label.name,
    version_id: label.versionId,
    version_number: label.versionNumber,
    created_at: label.createdAt.toISOString(),
  };
}

export function toToolResponse({ tool, labels, version }: ReadTool): ToolResponse {
  const tool_registry = {
    ...toToolBody(tool),
    labels: labels.map(toToolLabelBody),
    version: toToolVersionBody(version),
    tool_definition: version.definition,
  };
  return { success: true, tool_registry };
}

export function toTestResponse({ outcome, stdout, stderr, durationMs }: FunctionOutcome): TestToolResponse {
  const error = 'error' in outcome ? outcome.error : null;
  const result = 'value' in outcome ? outcome.value : null;
  return {
    success: true,
    message: error ? `The code failed with ${error.type}.` : 'The code was run.',
    result: { status: error ? 'error' : 'success', result, stdout, stderr, duration_ms: durationMs, error },
  };
}

export const toToolEnvVarBody = (variable: ShownEnvVar): ToolEnvVarBody => ({
  ...toEnvVarBody(variable),
  tool_registry_id: variable.toolId,
});
