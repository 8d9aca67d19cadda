import { ApiProperty } from '@nestjs/swagger';
import { EnvVarBody, EnvVarPath, type ShownEnvVar, toEnvVarBody } from '../env-vars/index.js';
import { ExternalIdBody, ExternalIdsField } from '../external-ids/index.js';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  MAX_ID,
  TextField,
} from '../platform/http/fields.js';
import { JsonSchemaObject } from '../llm/blueprint.schema.js';
import { SchemaField } from '../platform/http/schema-field.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { FunctionOutcome } from '../platform/sandbox/code-runner.js';
import type { ListedTool } from './list-tools.queries.js';
import type { ToolLabel, ToolVersion } from './tool.entity.js';
import { ToolDefinitionSchema, type ToolExecution, ToolExecutionSchema } from './tool.schema.js';
import type { ToolTest } from './tool-testing.service.js';
import type { NewTool, ReadTool, VersionContent, WithExternalIds } from './tools.service.js';

export class ToolPath {
  @TextField({ query: true, minLength: 1, description: 'The id of the tool, or its name.' })
  tool_identifier: string;
}

export class ToolVersionQuery {
  @TextField({ optional: true, query: true, maxLength: 255, description: 'It counts more than `version`.' })
  label?: string;

  @IntegerField({ optional: true, query: true, min: 1, max: MAX_ID, description: 'By default the latest one.' })
  version?: number;
}

const EXAMPLE = { type: 'function', function: { name: 'add', description: 'Adds two numbers.' } };

const DefinitionField = () =>
  SchemaField(ToolDefinitionSchema, { description: 'What models are told about the tool.', example: EXAMPLE });

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
    description: 'The JSON Schema of what the tool gives back.',
  })
  response_schema?: JsonObject | null;

  @TextField({ optional: true, nullable: true, maxLength: 1000, example: 'Adds floats as well' })
  commit_message?: string | null;
}

export class CreateToolRequest extends SaveToolVersionRequest {
  @TextField({ minLength: 1, maxLength: 255, description: 'Unique in the workspace.', example: 'adder' })
  name: string;

  @TextField({ optional: true, nullable: true, maxLength: 4000 })
  description?: string | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_ID, description: 'By default it lies at the top.' })
  folder_id?: number | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;
}

export class TestToolRequest {
  @JsonObjectField({ optional: true, description: 'What the code finds in `args`.', example: { a: 1, b: 2 } })
  inputs?: JsonObject;

  @ExecutionField()
  execution?: ToolExecution | null;

  @SchemaField(ToolDefinitionSchema, {
    optional: true,
    nullable: true,
    description: 'Instead of that of the version; its function names the function that the code is the body of.',
  })
  tool_definition?: JsonObject | null;
}

export class ToolBody {
  @IntegerField()
  id: number;

  @TextField()
  name: string;

  @TextField({ nullable: true })
  description: string | null;

  @IntegerField()
  workspace_id: number;

  @IntegerField({ nullable: true })
  folder_id: number | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];
}

export class ToolVersionBody {
  @IntegerField()
  id: number;

  @IntegerField()
  tool_registry_id: number;

  @IntegerField({ description: 'From 1, without gaps.' })
  version_number: number;

  @IntegerField({ description: 'The same.' })
  number: number;

  @DefinitionField()
  tool_definition: JsonObject;

  @SchemaField(ToolExecutionSchema, { nullable: true })
  execution: ToolExecution | null;

  @SchemaField(JsonSchemaObject, { nullable: true })
  response_schema: JsonObject | null;

  @TextField({ nullable: true })
  commit_message: string | null;

  @IntegerField({ nullable: true, description: 'The API key that saved it.' })
  created_by: number | null;

  @DateTimeField()
  created_at: string;
}

export class ToolLabelBody {
  @IntegerField()
  id: number;

  @TextField()
  name: string;

  @IntegerField()
  version_id: number;

  @IntegerField()
  version_number: number;

  @DateTimeField()
  created_at: string;
}

export class ToolDetailBody extends ToolBody {
  @ApiProperty({ type: () => [ToolLabelBody] })
  labels: ToolLabelBody[];

  @ApiProperty({ type: () => ToolVersionBody, description: 'The version that was asked for.' })
  version: ToolVersionBody;

  @DefinitionField()
  tool_definition: JsonObject;
}

export class ToolsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [ToolBody] })
  tool_registries: ToolBody[];
}

export class ToolResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ToolDetailBody })
  tool_registry: ToolDetailBody;
}

export class ToolVersionResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ToolVersionBody })
  version: ToolVersionBody;
}

export class ToolCreatedResponse extends ToolVersionResponse {
  @ApiProperty({ type: () => ToolBody })
  tool_registry: ToolBody;

  @ApiProperty({ type: () => [ExternalIdBody] })
  external_ids: ExternalIdBody[];
}

class ToolFailureBody {
  @TextField({ description: 'The name of what the code threw.', example: 'ValueError' })
  type: string;

  @TextField({ description: 'What it says, with the line of the code.' })
  message: string;
}

class ToolResultBody {
  @EnumField(['success', 'error'])
  status: 'success' | 'error';

  @JsonField({ nullable: true, description: 'What the code returned.' })
  result: JsonValue;

  @TextField({ description: 'What the code printed, as far as it is kept.' })
  stdout: string;

  @TextField()
  stderr: string;

  @IntegerField()
  duration_ms: number;

  @ApiProperty({ type: () => ToolFailureBody, nullable: true, description: 'null unless the code failed.' })
  error: ToolFailureBody | null;
}

export class TestToolResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;

  @ApiProperty({ type: () => ToolResultBody })
  result: ToolResultBody;
}

export class ToolEnvVarPath extends EnvVarPath {
  @TextField({ query: true, minLength: 1, description: 'The id of the tool, or its name.' })
  tool_identifier: string;
}

export class ToolEnvVarBody extends EnvVarBody {
  @IntegerField()
  tool_registry_id: number;
}

export class ToolEnvVarResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ToolEnvVarBody })
  tool_env_var: ToolEnvVarBody;
}

export class ToolEnvVarsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [ToolEnvVarBody] })
  tool_env_vars: ToolEnvVarBody[];
}

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
  return { name: name.trim(), description, folderId, externalIds: externalIds ?? [], content: toContent(body) };
}

export function toToolTest(query: ToolVersionQuery, body: TestToolRequest): ToolTest {
  const { inputs = {}, execution = null, tool_definition: definition = null } = body;
  return { ...query, inputs, execution, definition };
}

export function toToolBody(tool: WithExternalIds<ListedTool>): ToolBody {
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

export function toToolLabelBody(label: ToolLabel & { versionId: number }): ToolLabelBody {
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
