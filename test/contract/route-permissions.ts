import { ROUTES_OF_PEOPLE } from './routes-of-people.js';

/**
 * Permissions that each route of the document needs, in the words of the contract. The list is written from the
 * contract and not from the code, to find routes with a wrong permission. New routes of the document must be added
 * here.
 */

/** `nobody` needs no key, `member` a key of the workspace, `operator` the admin token, `provider` a SCIM token; other texts are names of permissions. */
export type Need = string | AnyOf;

/** One permission of a kind is enough. */
export interface AnyOf {
  anyOf: string[];
}

const KINDS = ['PROMPT', 'WORKFLOW', 'DATASET', 'REPORT', 'TOOL', 'SKILL', 'TABLE'];
const ofKinds = (...verbs: string[]) => KINDS.flatMap((kind) => verbs.map((verb) => `${kind}_${verb}`));

const CONTRIBUTOR = [...ofKinds('CREATE', 'EDIT', 'DELETE'), 'METADATA_EDIT'];
const PUBLISHER = ['PROMPT_DEPLOY', 'WORKFLOW_DEPLOY', 'TOOL_DEPLOY', 'SKILL_DEPLOY'];
const DEVELOPER = ['MANAGE_API_KEYS'];
const ALL_BUT_ADMIN = [...CONTRIBUTOR, ...PUBLISHER, ...DEVELOPER];

/** The default roles. `member` is everybody in a workspace that does not restrict its members, `viewer` somebody without a role. */
export const GRANTS: Record<string, string[]> = {
  viewer: [],
  contributor: CONTRIBUTOR,
  publisher: PUBLISHER,
  approver: ['PROTECTED_LABELS'],
  developer: DEVELOPER,
  member: ALL_BUT_ADMIN,
  admin: [...ALL_BUT_ADMIN, 'PROTECTED_LABELS', 'ADMIN'],
};

const ANY_EDIT: AnyOf = { anyOf: [...ofKinds('EDIT'), 'METADATA_EDIT'] };
const CREATE_OR_EDIT: AnyOf = { anyOf: [...ofKinds('CREATE', 'EDIT'), 'METADATA_EDIT'] };
const ANY_DELETE: AnyOf = { anyOf: ofKinds('DELETE') };

const PUBLIC = '/api/public/v2';
const WORKSPACE = '/api/admin/v1/workspaces/{workspace_id}';
const TABLES = `${PUBLIC}/tables`;
const SHEET = `${TABLES}/{table_id}/sheets/{sheet_id}`;
const CREDENTIAL = `${WORKSPACE}/model-credentials`;
const MCP_SERVER = `${WORKSPACE}/mcp-servers`;
const WORKFLOW = `${WORKSPACE}/workflows/{workflow_id}`;
const WEBHOOK = `${WORKSPACE}/webhooks`;
const TOOLS = `${PUBLIC}/tool-registry`;
const SKILLS = `${PUBLIC}/skill-collections`;

/** The routes of external ids: reading them needs membership, changing them what changing their entity needs. */
function externalIds(entity: string, need: Need): [Need, string[]][] {
  const path = `${entity}/external-ids`;
  return [
    ['member', [`GET ${path}`]],
    [need, [`POST ${path}`, `DELETE ${path}/{source}/{external_id}`]],
  ];
}

const BY_NEED: [Need, string[]][] = [
  ...ROUTES_OF_PEOPLE,

  // Ingestion, reads and searches.
  [
    'member',
    [
      'POST /v1/traces',
      'POST /v1/logs',
      'POST /v1/metrics',
      'POST /spans-bulk',
      'POST /log-request',
      'POST /track-request',
      'POST /create-group',
      'POST /rest/track-score',
      'POST /rest/track-prompt',
      'POST /rest/track-group',
      'POST /library-track-score',
      'POST /library-track-prompt',
      'POST /track-group',
      'GET /requests',
      `GET ${PUBLIC}/requests`,
      `GET ${PUBLIC}/requests/{request_id}`,
      `GET ${PUBLIC}/request/{request_id}`,
      `POST ${PUBLIC}/requests/search`,
      `GET ${PUBLIC}/requests/search/fields`,
      `GET ${PUBLIC}/requests/suggestions`,
      `GET ${PUBLIC}/model-providers`,
      `GET ${PUBLIC}/models`,
      `POST ${PUBLIC}/requests/analytics`,
      `POST ${PUBLIC}/requests/histogram`,
      `GET ${PUBLIC}/requests/breakdown`,
      `GET ${PUBLIC}/requests/scores`,
      `GET ${PUBLIC}/requests/scores/trend`,
      `POST ${PUBLIC}/requests/analytics/custom-analytics`,
      `GET ${PUBLIC}/ingest/receipts/{receipt_id}`,
      `GET ${PUBLIC}/ingest/refusals`,
      `GET ${PUBLIC}/traces/{trace_id}`,
      `GET ${PUBLIC}/traces/{trace_id}/spans/{span_id}`,
      `POST ${PUBLIC}/traces/{trace_id}/close`,
      `POST ${PUBLIC}/traces/search`,
      `GET ${PUBLIC}/traces/search`,
      `GET ${PUBLIC}/traces/search/fields`,
      `POST ${PUBLIC}/traces/histogram`,
      `POST ${PUBLIC}/traces/analytics/custom-analytics`,
      `GET ${PUBLIC}/sessions`,
      `GET ${PUBLIC}/sessions/{session_id}`,
      `GET ${PUBLIC}/sessions/{session_id}/turns`,
      `GET ${PUBLIC}/users`,
      `GET ${PUBLIC}/users/{end_user_id}`,
      `POST ${PUBLIC}/exports`,
      `GET ${PUBLIC}/exports`,
      `GET ${PUBLIC}/exports/{export_id}`,
      `GET ${PUBLIC}/exports/{export_id}/download`,
      `GET ${PUBLIC}/saved-views`,
      `GET ${PUBLIC}/saved-views/{saved_view_id}`,
      `POST ${PUBLIC}/monitors/preview`,
      `GET ${PUBLIC}/monitors`,
      `GET ${PUBLIC}/monitors/{monitor_id}`,
      `GET ${PUBLIC}/monitors/{monitor_id}/alerts`,
      'POST /ws-token-request-library',
      `GET ${PUBLIC}/me`,
    ],
  ],
  [
    'METADATA_EDIT',
    [
      'POST /rest/track-metadata',
      'POST /rest/track-tags',
      'POST /library-track-metadata',
      `POST ${PUBLIC}/saved-views`,
      `POST ${PUBLIC}/monitors`,
      `PATCH ${PUBLIC}/monitors/{monitor_id}`,
      `DELETE ${PUBLIC}/monitors/{monitor_id}`,
    ],
  ],
  // Everybody deletes their own exports, which a case of its own shows. The one asked about here is somebody else's.
  ['ADMIN', [`DELETE ${PUBLIC}/exports/{export_id}`]],
  // The same for shared views.
  ['ADMIN', [`PATCH ${PUBLIC}/saved-views/{saved_view_id}`, `DELETE ${PUBLIC}/saved-views/{saved_view_id}`]],

  // Prompts and their labels. Publications depend on what they do, which cases of their own show.
  [
    'member',
    [
      'GET /prompt-templates',
      'GET /prompt-templates/{identifier}',
      'POST /prompt-templates/{identifier}',
      'GET /v1/prompt-templates',
      'GET /v1/prompt-templates/{identifier}',
      'GET /prompt-templates/{identifier}/labels',
      'GET /prompt-templates/{identifier}/snippet-usage',
      'GET /prompt-templates/{identifier}/versions',
      'GET /library-get-prompt-template',
      `GET ${PUBLIC}/ab-releases`,
      `GET ${PUBLIC}/ab-releases/{ab_release_id}`,
    ],
  ],
  ['PROMPT_CREATE', ['POST /rest/prompt-templates', 'POST /library-publish-prompt-template']],
  [
    'PROMPT_EDIT',
    ['PATCH /rest/prompt-templates/{identifier}', 'PUT /prompt-templates/by-external-id/{source}/{external_id}'],
  ],
  [
    'PROMPT_DEPLOY',
    [
      'POST /prompts/{prompt_id}/label',
      'PATCH /prompt-labels/{prompt_label_id}',
      'DELETE /prompt-labels/{prompt_label_id}',
      `POST ${PUBLIC}/ab-releases`,
      `PATCH ${PUBLIC}/ab-releases/{ab_release_id}`,
      `DELETE ${PUBLIC}/ab-releases/{ab_release_id}`,
    ],
  ],
  ...externalIds('/prompt-templates/{prompt_template_id}', 'PROMPT_EDIT'),

  [
    'member',
    [
      'GET /workflows',
      'GET /workflows/{workflow_id_or_name}',
      'GET /workflows/{workflow_id_or_name}/labels',
      `GET ${WORKFLOW}/versions`,
      'POST /workflows/{workflow_name}/run',
      'GET /workflows/{workflow_name}/runs',
      'GET /workflow-version-execution-results',
      'GET /workflow-version-executions/{workflow_version_execution_id}',
      'POST /workflow-version-executions/{workflow_version_execution_id}/cancel',
    ],
  ],
  ['WORKFLOW_CREATE', ['POST /rest/workflows']],
  ['WORKFLOW_EDIT', ['PATCH /rest/workflows/{workflow_id_or_name}', `PATCH ${WORKFLOW}`]],
  ['WORKFLOW_DELETE', [`DELETE ${WORKFLOW}`]],
  ['WORKFLOW_DEPLOY', [`PUT ${WORKFLOW}/labels/{workflow_label}`, `DELETE ${WORKFLOW}/labels/{workflow_label}`]],
  ...externalIds('/workflows/{workflow_id}', 'WORKFLOW_EDIT'),

  ['member', [`GET ${PUBLIC}/folders/entities`, `GET ${PUBLIC}/folders/resolve-id`]],
  [CREATE_OR_EDIT, [`POST ${PUBLIC}/folders`, `PATCH ${PUBLIC}/folders/{folder_id}`]],
  [ANY_EDIT, [`POST ${PUBLIC}/folders/entities`]],
  [ANY_DELETE, [`DELETE ${PUBLIC}/folders/entities`]],
  ...externalIds(`${PUBLIC}/folders/{folder_id}`, ANY_EDIT),

  ['member', [`GET ${PUBLIC}/datasets`, `GET ${PUBLIC}/datasets/{dataset_id}/rows`]],
  ['DATASET_CREATE', [`POST ${PUBLIC}/dataset-groups`]],
  [
    'DATASET_EDIT',
    ['from-file', 'from-filter-params', 'create-draft', 'add-request-log', 'add-trace', 'save-draft'].map(
      (name) => `POST ${PUBLIC}/dataset-versions/${name}`,
    ),
  ],
  ['TABLE_CREATE', [`POST ${PUBLIC}/datasets/{dataset_id}/to-table`]],
  ...externalIds(`${PUBLIC}/dataset-groups/{dataset_group_id}`, 'DATASET_EDIT'),

  [
    'member',
    [
      `GET ${PUBLIC}/evaluations`,
      `GET ${PUBLIC}/evaluations/{evaluation_id}/rows`,
      'GET /reports/{report_id}',
      'GET /reports/{report_id}/score',
      'GET /reports/{report_id}/comparison',
    ],
  ],
  ['REPORT_CREATE', ['POST /reports']],
  [
    'REPORT_EDIT',
    [
      'PATCH /reports/{report_id}/rename',
      'POST /reports/{report_id}/run',
      'PATCH /reports/{report_id}/score-card',
      'POST /report-columns',
      'PATCH /report-columns/{report_column_id}',
      'DELETE /report-columns/{report_column_id}',
    ],
  ],
  ['REPORT_DELETE', ['DELETE /reports/{report_id}', 'DELETE /reports/name/{report_name}']],
  ['TABLE_CREATE', [`POST ${PUBLIC}/evaluations/{evaluation_id}/to-table`]],
  ...externalIds('/reports/{report_id}', 'REPORT_EDIT'),

  ['member', [`GET ${SKILLS}`, `GET ${SKILLS}/{skill_collection}`]],
  ['SKILL_CREATE', [`POST ${SKILLS}`]],
  ['SKILL_EDIT', [`PATCH ${SKILLS}/{skill_collection}`, `POST ${SKILLS}/{skill_collection}/versions`]],
  ['member', [`GET ${WORKSPACE}/skill-collections/{skill_collection_id}/versions`]],
  ['SKILL_EDIT', [`POST ${WORKSPACE}/skill-collections/{skill_collection_id}/versions/{skill_version}/restore`]],
  ['SKILL_DELETE', [`DELETE ${WORKSPACE}/skill-collections/{skill_collection_id}`]],
  ...externalIds(`${SKILLS}/{skill_collection_id}`, 'SKILL_EDIT'),

  ['member', [`GET ${TOOLS}`, `GET ${TOOLS}/{tool_identifier}`, `GET ${TOOLS}/{tool_identifier}/env-vars`]],
  ['TOOL_CREATE', [`POST ${TOOLS}`]],
  [
    'TOOL_EDIT',
    [
      `POST ${TOOLS}/{tool_identifier}/versions`,
      `POST ${TOOLS}/{tool_identifier}/test-execute`,
      `POST ${TOOLS}/{tool_identifier}/env-vars`,
      `PATCH ${TOOLS}/{tool_identifier}/env-vars/{var_id}`,
      `DELETE ${TOOLS}/{tool_identifier}/env-vars/{var_id}`,
      `PATCH ${WORKSPACE}/tools/{tool_id}`,
    ],
  ],
  ['TOOL_DELETE', [`DELETE ${WORKSPACE}/tools/{tool_id}`]],
  [
    'TOOL_DEPLOY',
    [`PUT ${WORKSPACE}/tools/{tool_id}/labels/{tool_label}`, `DELETE ${WORKSPACE}/tools/{tool_id}/labels/{tool_label}`],
  ],
  ...externalIds(`${TOOLS}/{tool_id}`, 'TOOL_EDIT'),
  ['member', [`GET ${PUBLIC}/env-vars`]],
  ['TOOL_EDIT', [`POST ${PUBLIC}/env-vars`, `PATCH ${PUBLIC}/env-vars/{var_id}`, `DELETE ${PUBLIC}/env-vars/{var_id}`]],

  // Tables: creating one, changing whatever is in one, and deleting one, a sheet or a column.
  [
    'member',
    [
      `GET ${TABLES}`,
      `GET ${TABLES}/{table_id}`,
      `GET ${TABLES}/{table_id}/sheets`,
      `GET ${TABLES}/{table_id}/sheets/operations/{operation_id}`,
      `GET ${TABLES}/{table_id}/sheets/operations/{operation_id}/events`,
      `GET ${PUBLIC}/column-types`,
      `GET ${PUBLIC}/sheet-operations`,
      `GET ${PUBLIC}/sheet-imports`,
      `GET ${PUBLIC}/sheet-scores`,
      `GET ${PUBLIC}/scorecard-calculations`,
      `GET ${PUBLIC}/scorecard-calculations/rows`,
      `GET ${SHEET}`,
      ...[
        'export',
        'summary',
        'columns',
        'rows',
        'operations',
        'status-counts',
        'score',
        'versions',
        'scorecard',
        'view',
      ].map((name) => `GET ${SHEET}/${name}`),
      `POST ${SHEET}/rows/search`,
      `GET ${SHEET}/cells`,
      `GET ${SHEET}/cells/{cell_id}`,
      `GET ${SHEET}/operations/{operation_id}`,
      `GET ${SHEET}/operations/{operation_id}/events`,
      `GET ${SHEET}/versions/score-history`,
      `GET ${SHEET}/versions/{version_id}`,
      `GET ${SHEET}/versions/{version_id}/diff`,
      `GET ${SHEET}/scorecard/calculations/{calculation_id}`,
      `GET ${SHEET}/scorecard/calculations/{calculation_id}/comparison`,
      `GET ${SHEET}/scorecard/rows`,
      `GET ${SHEET}/scorecard/rows/{row_index}`,
      `GET ${SHEET}/regressions`,
      `GET ${SHEET}/regressions/{regression_id}`,
    ],
  ],
  ['TABLE_CREATE', [`POST ${TABLES}`]],
  [
    'TABLE_EDIT',
    [
      `POST ${PUBLIC}/trials`,
      `PATCH ${TABLES}/{table_id}`,
      `POST ${TABLES}/{table_id}/sheets`,
      `PATCH ${SHEET}`,
      `POST ${SHEET}/imports/file`,
      `POST ${SHEET}/imports/request-logs`,
      `POST ${SHEET}/columns`,
      `POST ${SHEET}/columns/preview`,
      `PATCH ${SHEET}/columns/{column_id}`,
      `PUT ${SHEET}/view`,
      `POST ${SHEET}/rows`,
      `DELETE ${SHEET}/rows`,
      `PATCH ${SHEET}/cells/{cell_id}`,
      `PATCH ${SHEET}/cells`,
      `POST ${SHEET}/cells/recalculations`,
      `POST ${SHEET}/cells/{cell_id}/recalculations`,
      `POST ${SHEET}/operations`,
      `DELETE ${SHEET}/operations/{operation_id}`,
      `DELETE ${TABLES}/{table_id}/sheets/operations/{operation_id}`,
      `PATCH ${SHEET}/score`,
      `POST ${SHEET}/score`,
      `PATCH ${SHEET}/scorecard`,
      `DELETE ${SHEET}/scorecard`,
      `POST ${SHEET}/scorecard/migrate-legacy-score`,
      `POST ${SHEET}/scorecard/recalculate`,
      `POST ${SHEET}/scorecard/cancel`,
      `POST ${SHEET}/regressions`,
      `POST ${SHEET}/regressions/{regression_id}/cancel`,
      `POST ${SHEET}/versions`,
    ],
  ],
  ['TABLE_DELETE', [`DELETE ${TABLES}/{table_id}`, `DELETE ${SHEET}`, `DELETE ${SHEET}/columns/{column_id}`]],

  // The administration of a workspace.
  [
    'ADMIN',
    [
      `GET ${WORKSPACE}/audit-entries`,
      `GET ${WORKSPACE}/audit-entries/verification`,
      `GET ${WORKSPACE}/audit-entries/download`,
      `GET ${WORKSPACE}/events`,
      `GET ${WORKSPACE}/events/types`,
      `GET ${CREDENTIAL}`,
      `POST ${CREDENTIAL}`,
      `GET ${CREDENTIAL}/{credential_id}`,
      `PATCH ${CREDENTIAL}/{credential_id}`,
      `DELETE ${CREDENTIAL}/{credential_id}`,
      `POST ${CREDENTIAL}/{credential_id}/test`,
      `GET ${MCP_SERVER}`,
      `POST ${MCP_SERVER}`,
      `GET ${MCP_SERVER}/{mcp_server_id}`,
      `PATCH ${MCP_SERVER}/{mcp_server_id}`,
      `DELETE ${MCP_SERVER}/{mcp_server_id}`,
      `POST ${MCP_SERVER}/{mcp_server_id}/test`,
      `GET ${WORKSPACE}/model-prices`,
      `PUT ${WORKSPACE}/model-prices`,
      `DELETE ${WORKSPACE}/model-prices`,
      `GET ${WORKSPACE}/repricings`,
      `POST ${WORKSPACE}/repricings`,
      `GET ${WORKSPACE}/settings`,
      `PATCH ${WORKSPACE}/settings`,
      `GET ${WORKSPACE}/storage`,
      `GET ${WORKSPACE}/retention`,
      `PUT ${WORKSPACE}/retention`,
      `POST ${WORKSPACE}/retention/dry-run`,
      `GET ${WORKSPACE}/erasures`,
      `POST ${WORKSPACE}/erasures`,
      `GET ${WORKSPACE}/erasures/{erasure_id}`,
      `GET ${WEBHOOK}`,
      `POST ${WEBHOOK}`,
      `GET ${WEBHOOK}/{webhook_id}`,
      `PATCH ${WEBHOOK}/{webhook_id}`,
      `DELETE ${WEBHOOK}/{webhook_id}`,
      `POST ${WEBHOOK}/{webhook_id}/secret`,
      `GET ${WEBHOOK}/{webhook_id}/deliveries`,
      `GET ${WORKSPACE}/webhook-deliveries`,
      `POST ${WEBHOOK}/{webhook_id}/deliveries/{delivery_id}/redeliver`,
    ],
  ],
];

/** Permissions by method and path. */
export const NEEDS = new Map(BY_NEED.flatMap(([need, routes]) => routes.map((route): [string, Need] => [route, need])));
/** Every route as often as it stands here. */
export const LISTED = BY_NEED.flatMap(([, routes]) => routes);

/** Whether one of the roles gives what is needed. */
export function isGranted(roles: string[], need: Need): boolean {
  if (need === 'nobody' || need === 'member') return true;
  if (need === 'operator') return false;
  const granted = new Set(roles.flatMap((role) => GRANTS[role]!));
  return permissionsOf(need).some((permission) => granted.has(permission));
}

/** The permissions that a refusal may name. */
export function permissionsOf(need: Need): string[] {
  return typeof need === 'string' ? [need] : need.anyOf;
}
