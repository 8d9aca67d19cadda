import type { DataSource } from 'typeorm';
import { Workspace } from './access/index.js';
import { ERASURE_EXAMPLES } from './erasure/index.js';
import { EXPORT_EXAMPLES } from './exports/index.js';
import { MONITOR_EXAMPLES } from './monitors/index.js';
import {
  EXAMPLE_PROMPT,
  EXAMPLE_REPORT_TO_DELETE,
  EXAMPLE_SKILLS,
  EXAMPLE_SPAN_ID,
  EXAMPLE_TOOL,
  EXAMPLE_TRACE_ID,
  EXAMPLE_WORKFLOW,
} from './platform/example-data.js';
import { SAVED_VIEW_EXAMPLES } from './saved-views/index.js';
import { SKILL_EXAMPLES } from './skills/index.js';
import { TABLE_EXAMPLES } from './tables/index.js';
import { RECEIPT_EXAMPLES } from './traces/index.js';

const ALL = [
  TABLE_EXAMPLES,
  EXPORT_EXAMPLES,
  RECEIPT_EXAMPLES,
  SKILL_EXAMPLES,
  ERASURE_EXAMPLES,
  SAVED_VIEW_EXAMPLES,
  MONITOR_EXAMPLES,
] as const;
const IDS = {
  ...TABLE_EXAMPLES.ids,
  ...EXPORT_EXAMPLES.ids,
  ...RECEIPT_EXAMPLES.ids,
  ...SKILL_EXAMPLES.ids,
  ...ERASURE_EXAMPLES.ids,
  ...SAVED_VIEW_EXAMPLES.ids,
  ...MONITOR_EXAMPLES.ids,
};
export type ExampleName = keyof typeof IDS;

/** Maps the ids of the document to those of this server's example data. Ids of other workspaces are never revealed. */
export async function readExampleIds({ manager }: DataSource): Promise<Map<string, string>> {
  const [first] = await manager.find(Workspace, { select: { id: true }, order: { id: 'ASC' }, take: 1 });
  if (!first) return new Map();
  const read = await Promise.all(ALL.map((examples) => examples.read(manager, first.id)));
  const found = read.flatMap((ids) => Object.entries(ids) as [ExampleName, string | undefined][]);
  return new Map(found.flatMap(([name, id]) => (id === undefined ? [] : [[IDS[name], id]])));
}

/** Ids of the example data that `npm start` creates. Numbers start at 1 in a new installation. */
const EXAMPLES: Record<string, unknown> = {
  ...IDS,
  trace_id: EXAMPLE_TRACE_ID,
  span_id: EXAMPLE_SPAN_ID,
  identifier: EXAMPLE_PROMPT,
  tool_identifier: EXAMPLE_TOOL,
  tool_label: 'staging',
  workflow_id_or_name: EXAMPLE_WORKFLOW,
  workflow_label: 'staging',
  skill_collection: EXAMPLE_SKILLS,
  report_name: EXAMPLE_REPORT_TO_DELETE,
  label_change_id: '0198c0de-4c43-7000-8000-000000000001',
  review_queue_id: '0198c0de-4c43-7000-8000-000000000002',
  review_item_id: '0198c0de-4c43-7000-8000-000000000003',
  // The columns of the dataset come first.
  report_column_id: 3,
  source: 'crm',
  external_id: 'prompt-7',
  // The first key is the one that the reader of the document uses.
  key_id: 2,
};

const TOOLS = '/api/public/v2/tool-registry';
const MANAGED = '/api/admin/v1/workspaces/{workspace_id}';
const SHEET = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}';

/** Other examples for single operations, mainly for entities that may be deleted. */
const SPECIAL: Record<string, Record<string, unknown>> = {
  'delete /api/public/v2/tables/{table_id}': { table_id: IDS.table_to_delete },
  [`delete ${SHEET}`]: { sheet_id: IDS.sheet_to_delete },
  [`delete ${SHEET}/columns/{column_id}`]: { sheet_id: IDS.sheet_to_delete, column_id: IDS.column_to_delete },
  [`delete ${SHEET}/rows`]: { sheet_id: IDS.sheet_to_delete },
  [`delete ${SHEET}/scorecard`]: { sheet_id: IDS.sheet_to_delete },
  [`post ${SHEET}/scorecard/migrate-legacy-score`]: { sheet_id: IDS.sheet_to_delete },
  'delete /api/public/v2/exports/{export_id}': { export_id: IDS.export_to_delete },
  'delete /api/public/v2/monitors/{monitor_id}': { monitor_id: IDS.monitor_to_delete },
  'delete /api/public/v2/saved-views/{saved_view_id}': { saved_view_id: IDS.saved_view_to_delete },
  [`patch ${TOOLS}/{tool_identifier}/env-vars/{var_id}`]: { var_id: 2 },
  [`delete ${TOOLS}/{tool_identifier}/env-vars/{var_id}`]: { var_id: 2 },
  [`delete ${TOOLS}/{tool_id}/external-ids/{source}/{external_id}`]: { external_id: 'tool-7' },
  [`delete ${MANAGED}/tools/{tool_id}`]: { tool_id: 2 },
  'delete /api/public/v2/skill-collections/{skill_collection_id}/external-ids/{source}/{external_id}': {
    external_id: 'skill collection-7',
  },
  [`delete ${MANAGED}/skill-collections/{skill_collection_id}`]: { skill_collection_id: IDS.skills_to_delete },
  [`delete ${MANAGED}/workflows/{workflow_id}`]: { workflow_id: 2 },
  'delete /workflows/{workflow_id}/external-ids/{source}/{external_id}': { external_id: 'workflow-7' },
  'delete /prompt-labels/{prompt_label_id}': { prompt_label_id: 2 },
  'delete /api/public/v2/folders/{folder_id}/external-ids/{source}/{external_id}': { external_id: 'folder-7' },
  'delete /api/public/v2/dataset-groups/{dataset_group_id}/external-ids/{source}/{external_id}': {
    external_id: 'dataset-7',
  },
  'get /reports/{report_id}/score': { report_id: 2 },
  'get /reports/{report_id}/comparison': { report_id: 5 },
  'delete /reports/{report_id}': { report_id: 3 },
  'delete /reports/{report_id}/external-ids/{source}/{external_id}': { external_id: 'report-7' },
  'delete /report-columns/{report_column_id}': { report_column_id: 4 },
  'post /api/public/v2/evaluations/{evaluation_id}/to-table': { evaluation_id: 2 },
  'put /prompt-templates/by-external-id/{source}/{external_id}': { external_id: 'greeting-7' },
  'get /api/public/v2/tables/{table_id}/sheets/operations/{operation_id}': { operation_id: IDS.import_id },
  'delete /api/public/v2/tables/{table_id}/sheets/operations/{operation_id}': { operation_id: IDS.import_id },
  'get /api/public/v2/tables/{table_id}/sheets/operations/{operation_id}/events': { operation_id: IDS.import_id },
};

/** The example of a path parameter in the document. */
export function exampleOf(operation: string, name: string, type: string | undefined): unknown {
  return SPECIAL[operation]?.[name] ?? EXAMPLES[name] ?? (type === 'integer' ? 1 : undefined);
}
