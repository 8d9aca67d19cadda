import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { ExternalIdBody, ExternalIdsField } from '../../external-ids/index.js';
import {
  BooleanField,
  componentOf,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import { BodyIdField, MessageField, SuccessField } from '../../platform/http/common-fields.js';
import { ReleaseLabelsField } from '../../platform/http/release-labels.js';
import { boundedText, parseWith, SchemaField, toDetails } from '../../platform/http/schema-field.js';
import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import type { NodeChange } from './merge-version.js';
import type { SavedVersion, VersionExtras } from './save-version.js';
import type { ChangedVersion, NewVersion } from './saving.service.js';
import { type GivenEdge, INPUT_TYPES } from './workflow-graph.js';
import { IS_OUTPUT_NODE, NODE_NAME, NODE_TYPE, WorkflowEdgeBody } from './workflows.dto.js';

/** Checking this many edges and conditions blocks the event loop for a third of a second. */
const MAX_EDGES = 500;

/** Maximum number of dependencies of a node: the number of inputs and nodes together. */
const MAX_DEPENDENCIES = 400;

const InputVariablesField = (options: { nullable?: boolean } = {}) =>
  JsonObjectField({
    optional: true,
    ...options,
    values: { type: 'string' },
    description: `Types of the inputs by name, each one of ${INPUT_TYPES.join(', ')}.`,
    example: { question: 'string' },
  });

const CommitMessageField = () =>
  TextField({
    optional: true,
    nullable: true,
    maxLength: 1000,
    description: 'Commit message of the version.',
    example: 'First version',
  });

const Tags = z
  .array(boundedText(1, 255))
  .max(100)
  .transform((tags) => [...new Set(tags)]);

export const TagsField = (description: string) =>
  SchemaField(Tags, { optional: true, nullable: true, description, example: ['support'] });

const EXAMPLE_NODE = {
  name: 'Words',
  node_type: 'COUNT',
  configuration: { source: 'question', type: 'words' },
  dependencies: ['question'],
  is_output_node: true,
};

export class WorkflowNodeRequest {
  @TextField({
    maxLength: 255,
    description: 'Name of the node, unique among the nodes and inputs of the version.',
    example: EXAMPLE_NODE.name,
  })
  name: string;

  @TextField({
    maxLength: 64,
    description: 'Column type that computes the node: a name from `GET /api/public/v2/column-types` with `computed`.',
    example: EXAMPLE_NODE.node_type,
  })
  node_type: string;

  @JsonObjectField({
    like: 'ColumnConfig',
    description: 'The config of that column type. Inputs and dependencies are named in place of columns.',
    example: EXAMPLE_NODE.configuration,
  })
  configuration: JsonObject;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_DEPENDENCIES,
    description: 'Names of the nodes that run before this one. Inputs may be listed as well.',
    example: EXAMPLE_NODE.dependencies,
  })
  dependencies?: string[] | null;

  @BooleanField({
    description: 'Whether the value is a result of the workflow. At least one node has to be an output node.',
  })
  is_output_node: boolean;
}

const EdgesField = (description: string) =>
  ListField(() => WorkflowEdgeBody, { optional: true, nullable: true, maxItems: MAX_EDGES, description });

export class CreateWorkflowRequest {
  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'Name of a new workflow, unique in the workspace.',
    example: 'triage',
  })
  name?: string | null;

  @BodyIdField('Id of the workflow that gets a new version.')
  workflow_id?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'Name of the workflow that gets a new version, instead of its id.',
  })
  workflow_name?: string | null;

  @BodyIdField(
    'Id of the folder to put the workflow into. Default: the top level for a new workflow, otherwise where it is.',
  )
  folder_id?: number | null;

  @TagsField('Tags of the workflow. An empty list keeps those that it has.')
  tags?: string[] | null;

  @CommitMessageField()
  commit_message?: string | null;

  @ListField(() => WorkflowNodeRequest, {
    maxItems: 1000,
    description: 'All nodes of the version. At least one must be an output node.',
    example: [EXAMPLE_NODE],
  })
  nodes: WorkflowNodeRequest[];

  @InputVariablesField({ nullable: true })
  required_input_variables?: JsonObject | null;

  @EdgesField('Edges with conditions. A node runs only when the conditions of its edges hold.')
  edges?: WorkflowEdgeBody[] | null;

  @ReleaseLabelsField()
  release_labels?: string[] | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;
}

/** An object that is passed on with all its keys. The API document has a schema for it. */
const objectLike = (schema: object) =>
  z
    .custom<JsonObject>((value) => isObject(value as JsonValue), 'Input should be a valid dictionary')
    .meta({ ...schema });

const NodeChangeSchema = z
  .object({
    node_type: boundedText(0, 64).nullish().meta({ description: 'The new type. Required for a new node.' }),
    configuration: objectLike({ allOf: [componentOf('ColumnConfig')] })
      .nullish()
      .meta({ description: 'Merged into the configuration, also inside objects.' }),
    dependencies: z
      .array(z.string())
      .max(MAX_DEPENDENCIES)
      .nullish()
      .meta({ description: 'Replaces the dependencies.' }),
    is_output_node: z.boolean().nullish().meta({ description: IS_OUTPUT_NODE }),
  })
  .meta({ id: 'WorkflowNodeChange', description: 'Changes to a node. Missing keys keep their values.' });

/** Parsed node by node into a map, because a node may be called `__proto__`. */
const NodeChanges = objectLike({
  type: 'object',
  additionalProperties: { anyOf: [componentOf('WorkflowNodeChange'), { type: 'null' }] },
}).transform((given, context) => {
  const changes = new Map<string, NodeChange | null>();
  for (const [name, change] of Object.entries(given)) {
    const parsed = parseWith(NodeChangeSchema.nullable(), change);
    if (parsed.success) changes.set(name, parsed.data);
    for (const { loc, msg } of parsed.success ? [] : toDetails(parsed.error)) {
      context.addIssue({ code: 'custom', path: [name, ...loc], message: msg });
    }
  }
  return changes;
});

export class PatchWorkflowRequest {
  @BodyIdField('Number of the version to start from. Default: the latest.')
  base_version?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'Release label of the version to start from, instead of its number.',
  })
  base_label?: string | null;

  @CommitMessageField()
  commit_message?: string | null;

  @SchemaField(NodeChanges, {
    optional: true,
    nullable: true,
    description:
      'Changes by the name of the node. An object adds or changes a node. A new node needs `node_type` and `configuration`. ' +
      '`configuration` is merged into the old one; `dependencies` and `is_output_node` are replaced. null removes the node. ' +
      'All other nodes stay unchanged.',
    example: { Words: { configuration: { type: 'chars' } } },
  })
  nodes?: Map<string, NodeChange | null> | null;

  @InputVariablesField({ nullable: true })
  required_input_variables?: JsonObject | null;

  @EdgesField(
    'The edges, which replace all existing ones. Default: those of the base version, except edges of removed nodes.',
  )
  edges?: WorkflowEdgeBody[] | null;

  @ReleaseLabelsField()
  release_labels?: string[] | null;
}

class SavedNodeBody {
  @TextField({ description: 'Id of the node in this version.' })
  id: string;

  @TextField({ description: NODE_NAME })
  name: string;

  @TextField({ description: NODE_TYPE })
  node_type: string;

  @BooleanField({ description: IS_OUTPUT_NODE })
  is_output_node: boolean;
}

export class WorkflowSavedResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @IntegerField({ description: 'Id of the workflow.' })
  workflow_id: number;

  @TextField({ description: 'Name of the workflow.' })
  workflow_name: string;

  @IntegerField({ description: 'Id of the new version.' })
  workflow_version_id: number;

  @IntegerField({ description: 'Number of the new version: one more than the newest before, from 1.' })
  version_number: number;

  @IntegerField({
    nullable: true,
    description: 'Number of the version that was changed; null when the version was given as a whole.',
  })
  base_version: number | null;

  @ListField('string', {
    nullable: true,
    description: 'Release labels that were put on the version; null when none were sent.',
  })
  release_labels: string[] | null;

  @ApiProperty({ type: () => [SavedNodeBody], description: 'The nodes of the new version.' })
  nodes: SavedNodeBody[];

  @JsonObjectField({ values: { type: 'string' }, description: 'The type of each input by its name.' })
  required_input_variables: JsonObject;

  @ApiProperty({ type: () => [ExternalIdBody], description: 'The external IDs attached to the workflow.' })
  external_ids: ExternalIdBody[];
}

export function toNewVersion(body: CreateWorkflowRequest): NewVersion {
  return {
    graph: {
      nodes: body.nodes.map(({ dependencies, ...node }) => ({ ...node, dependencies: dependencies ?? [] })),
      edges: toEdges(body.edges) ?? [],
      requiredInputVariables: body.required_input_variables ?? {},
    },
    extras: toExtras(body, body.external_ids ?? []),
    folderId: body.folder_id ?? null,
    tags: body.tags ?? [],
  };
}

export function toChangedVersion(body: PatchWorkflowRequest): ChangedVersion {
  return {
    base: { version: body.base_version, label: body.base_label },
    change: {
      nodes: body.nodes ?? null,
      edges: toEdges(body.edges),
      requiredInputVariables: body.required_input_variables ?? null,
    },
    extras: toExtras(body, []),
  };
}

export function toSavedResponse({ workflow, version, ...saved }: SavedVersion): WorkflowSavedResponse {
  return {
    success: true,
    message: `Version ${version.number} of the workflow was saved.`,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    workflow_version_id: version.id,
    version_number: version.number,
    base_version: saved.baseVersion,
    release_labels: saved.labels,
    nodes: version.nodes.map(({ id, name, node_type, is_output_node }) => ({ id, name, node_type, is_output_node })),
    required_input_variables: version.requiredInputVariables,
    external_ids: saved.externalIds,
  };
}

function toExtras(
  { commit_message, release_labels }: { commit_message?: string | null; release_labels?: string[] | null },
  externalIds: ExternalIdBody[],
): VersionExtras {
  return { commitMessage: commit_message ?? null, labels: release_labels ?? null, externalIds };
}

const toEdges = (edges: WorkflowEdgeBody[] | null | undefined): GivenEdge[] | null => edges ?? null;
