import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { every } from '../support/every.js';
import { type Ids, inhabit, readExamples } from '../support/examples.js';
import {
  type Document,
  documentOf,
  exampleBody,
  fillPath,
  isPublic,
  type Operation,
  operationsOf,
} from '../support/operations.js';
import { clientOf, promptBody } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { permissionsPage } from './permissions-page.js';
import { isGranted, LISTED, type Need, NEEDS, permissionsOf } from './route-permissions.js';

/** Callers: the default roles, and keys with several of them. */
const CALLERS: string[][] = [
  ['viewer'],
  ['contributor'],
  ['publisher'],
  ['approver'],
  ['developer'],
  ['member'],
  ['admin'],
  ['contributor', 'publisher'],
  ['publisher', 'developer'],
];

/** A workspace with something of everything, and a key with some roles to it. */
interface Inhabited {
  roles: string[];
  client: Client;
  ids: Ids;
}

type Bodies = Record<string, object>;

const PUBLIC = '/api/public/v2';
const TOOLS = `${PUBLIC}/tool-registry`;
const SHEET = `${PUBLIC}/tables/{table_id}/sheets/{sheet_id}`;

let app: TestApp;
let document: Document;
let operations: Operation[];
let workspaces: Inhabited[];
let unknown: Ids;
let bodies: Bodies;
let queries: Record<string, string>;

beforeAll(async () => {
  app = await TestApp.start();
  document = documentOf(app);
  operations = operationsOf(document);
  const examples = await readExamples();
  unknown = Object.assign({}, ...examples.map((each) => each.unknown)) as Ids;
  bodies = Object.assign({}, ...examples.map((each) => each.bodies)) as Bodies;
  queries = Object.assign({}, ...examples.map((each) => each.queries)) as Record<string, string>;
  workspaces = await Promise.all(CALLERS.map(inhabited));
});
afterAll(() => app.stop());

async function inhabited(roles: string[]): Promise<Inhabited> {
  const owner = await app.stranger();
  const ids = await inhabit(app, undefined, owner);
  for (const each of operations.filter(({ name }) => name.startsWith('POST') && name.endsWith('/external-ids'))) {
    await owner.post(fillPath(each.path, ids), { source: 'crm', external_id: each.path }, 201);
  }
  const keys = `/api/admin/v1/workspaces/${ids.workspace_id}/api-keys`;
  const [run, weak, variable, group] = [
    (await owner.get(`/reports/${ids.report_id}`)) as { report: { parent_report_id: number } },
    (await owner.post(keys, { role: 'viewer' }, 201)) as { api_key: { id: number } },
    (await owner.post(`${TOOLS}/${ids.tool_identifier}/env-vars`, { key: 'OWN' }, 201)) as {
      tool_env_var: { id: number };
    },
    (await owner.post('/create-group', {})) as { id: number },
  ];
  const own = {
    pipeline_id: run.report.parent_report_id,
    key_id: weak.api_key.id,
    tool_var_id: variable.tool_env_var.id,
    group_id: group.id,
  };
  const client = await clientOf(app, Number(ids.workspace_id), { roles });
  return { roles, client, ids: { ...ids, ...own, console_session_id: await sessionOf(client) } };
}

async function sessionOf(client: Client): Promise<string> {
  await client.post('/console/session', {}, 201);
  const { sessions } = (await client.get('/console/sessions')) as { sessions: { id: string }[] };
  return sessions[0]!.id;
}

const TRACKING = ['metadata', 'tags', 'score', 'prompt', 'group']
  .flatMap((what) => [`/rest/track-${what}`, `/library-track-${what}`])
  .map((path) => path.replace('/library-track-group', '/track-group'));

/** The bodies that name something by its id. */
function naming(ids: Ids): Bodies {
  const { dataset_group_id, request_id, trace_id, report_id, pipeline_id, folder_id, group_id } = ids;
  const tracked = {
    request_id,
    metadata: { plan: 'pro' },
    add: ['seen'],
    score: 1,
    prompt_name: 'greeting',
    version: 1,
    group_id,
  };
  const folder = { entities: [{ id: Number(folder_id), type: 'FOLDER' }] };
  const versions = `POST ${PUBLIC}/dataset-versions`;
  return {
    ...Object.fromEntries(TRACKING.map((path) => [`POST ${path}`, tracked])),
    [`${versions}/from-file`]: { dataset_group_id, file_name: 'a.csv', file_content_base64: 'aW5wdXQK' },
    [`${versions}/create-draft`]: { dataset_group_id },
    [`${versions}/add-request-log`]: { dataset_group_id, request_log_id: request_id },
    [`${versions}/add-trace`]: { dataset_group_id, trace_id },
    [`${versions}/save-draft`]: { dataset_group_id },
    [`${versions}/from-filter-params`]: { dataset_group_id, request_log_ids: [request_id] },
    [`POST ${PUBLIC}/label-changes`]: labelChange(ids.prompt_id),
    [`POST ${PUBLIC}/ab-releases`]: { prompt_label_id: ids.prompt_label_id, split: ALL_TO_ONE },
    'POST /reports': { dataset_group_id, name: 'Asked' },
    'POST /report-columns': { report_id, column_type: 'COUNT', name: 'Length', configuration: {} },
    'PATCH /report-columns/{report_column_id}': { report_id: pipeline_id, column_type: 'CONTAINS' },
    [`POST ${PUBLIC}/folders/entities`]: folder,
    [`DELETE ${PUBLIC}/folders/entities`]: folder,
    [`PATCH ${SHEET}/cells`]: { cells: [{ row_index: ids.row_index, column: ids.column_id, value: 'Asked' }] },
    [`POST ${SHEET}/cells/recalculations`]: { cell_ids: [ids.cell_id] },
  };
}

/** The label needs an approval, as the examples of the registry have set. */
const labelChange = (prompt: unknown) => ({
  kind: 'prompt',
  item: String(prompt),
  label: 'approved-only',
  version_number: 1,
  reason: 'Asked',
});

const ALL_TO_ONE = [{ prompt_version_number: 1, percentage: 100 }];
const JAVASCRIPT = { type: 'code', language: 'javascript', code: 'return 1' };

/** Bodies that do no more than the purpose of the route. */
const PLAIN: Bodies = {
  'POST /rest/prompt-templates': promptBody('Asked'),
  'PATCH /rest/prompt-templates/{identifier}': { commit_message: 'Asked' },
  'PUT /prompt-templates/by-external-id/{source}/{external_id}': promptBody('greeting'),
  'POST /api/admin/v1/workspaces/{workspace_id}/api-keys': { role: 'viewer' },
  // The title stays: another body names it.
  [`PATCH ${SHEET}/columns/{column_id}`]: {},
  [`POST ${TOOLS}/{tool_identifier}/test-execute`]: { inputs: {}, execution: JAVASCRIPT },
};

/** Ids by path parameter, where one name means different things in different paths. */
function idsFor({ path }: Operation, ids: Ids): Ids {
  if (path.startsWith(`${TOOLS}/`)) ids = { ...ids, var_id: ids.tool_var_id ?? ids.var_id! };
  const isKnown = ids.source !== unknown.source && ids.external_id !== unknown.external_id;
  if (!isKnown || !path.includes('{source}')) return ids;
  const holder = path.includes('by-external-id')
    ? '/prompt-templates/{prompt_template_id}'
    : path.split('/external-ids')[0]!;
  return { ...ids, source: 'crm', external_id: `${holder}/external-ids` };
}

function call(client: Client, operation: Operation, ids: Ids): Promise<Answer> {
  const { method, name, requestBody } = operation;
  const given = { ...bodies, ...PLAIN, ...naming(ids) }[name];
  const own: Record<string, string> = {
    'POST /ws-token-request-library': `?capability=smart_sheets:smart_sheet%23${ids.sheet_id}`,
    'GET /workflow-version-execution-results': `?workflow_version_execution_id=${ids.workflow_version_execution_id}`,
  };
  const query = own[name] ?? queries[name];
  const path = fillPath(operation.path, idsFor(operation, ids)) + (query ?? '');
  return client.request(method, path, requestBody && (given ?? exampleBody(document, operation)));
}

const REFUSAL = /lacks the permission (\w+)/;

/** The permission that an answer says is missing; null when it does not refuse for that. */
function missingIn({ status, body }: Answer): string | null {
  return status === 403 ? (REFUSAL.exec((body as { message: string }).message)?.[1] ?? null) : null;
}

/** Deletions come last, the innermost entities first: every entity exists when its route is called. */
function inOrder(list: Operation[]): Operation[] {
  const rank = ({ method, path, name }: Operation) => {
    if (method !== 'DELETE') return name.endsWith('/save-draft') ? 1 : name.endsWith('/from-filter-params') ? 2 : 0;
    return path.startsWith('/report-columns') || path.includes('/external-ids/') ? 3 : 100 - path.split('/').length;
  };
  return list.toSorted((a, b) => rank(a) - rank(b));
}

/** Keys of programs have no personal keys and identities: nothing of theirs is there. `people` and `single-sign-on` call them as users. */
const OF_USERS = [`DELETE ${PUBLIC}/me/api-keys/{key_id}`, 'DELETE /console/identities/{identity_id}'];

const asked = () =>
  inOrder(
    operations.filter(
      ({ name }) => !['nobody', 'operator', 'provider'].includes(String(NEEDS.get(name))) && !OF_USERS.includes(name),
    ),
  );
const guarded = () => asked().filter(({ name }) => NEEDS.get(name) !== 'member');
const needOf = ({ name }: Operation): Need => NEEDS.get(name)!;

/** Families whose errors have no code. */
const isBrief = ({ path }: Operation) => /external-ids|by-external-id|^\/api\/public\/v2\/skill-collections/.test(path);

describe('the table of permissions', () => {
  it('holds every route of the document once, and nothing else', () => {
    expect(LISTED.toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
    expect(operations.filter(isPublic).map(({ name }) => name)).toEqual(
      LISTED.filter((name) => NEEDS.get(name) === 'nobody'),
    );
  });
});

describe('the page of permissions', () => {
  it('holds what routes need', async () => {
    await expect(permissionsPage()).toMatchFileSnapshot('../../docs/reference/permissions.md');
  });
});

describe('a route that needs a permission', () => {
  it.each(CALLERS.map((roles, at) => ({ roles: roles.join(' and '), at })))(
    'is refused with 403 to a $roles exactly when the table says so',
    async ({ at }) => {
      const { roles, client, ids } = workspaces[at]!;
      await every(asked(), async (operation) => {
        const answer = await call(client, operation, ids);
        const need = needOf(operation);
        const refused = missingIn(answer);
        if (isGranted(roles, need)) {
          // A 404 would mean that no permission was checked.
          if (refused !== null || [401, 404].includes(answer.status)) throw unexpected(operation, answer);
          return;
        }
        if (refused === null || !permissionsOf(need).includes(refused)) throw unexpected(operation, answer);
        const code = isBrief(operation) ? {} : { error: 'permission_missing' };
        expect([operation.name, answer.body]).toEqual([
          operation.name,
          { success: false, message: `This API key lacks the permission ${refused}.`, ...code },
        ]);
      });
    },
  );

  it('reports a missing entity before a missing permission', async () => {
    const { client, ids } = workspaces[0]!;
    const cases = guarded().flatMap((operation) => {
      const names = [...operation.path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name!);
      return names.filter((name) => !isFree(operation, name)).map((name) => ({ operation, name }));
    });
    await every(cases, ({ operation, name }) => {
      // Also what a tool has is named so.
      const also: Ids = name === 'var_id' ? { tool_var_id: unknown.var_id! } : {};
      return expectNotFound(client, operation, { ...ids, ...also, [name]: unknown[name]! });
    });
  });

  it('reports missing entities in a body first, too', async () => {
    const { client, ids } = workspaces[0]!;
    const byBody = guarded().filter(({ name, path }) => name in naming(ids) && !path.includes('{'));
    expect(byBody).toHaveLength(15);
    await every(byBody, (operation) => expectNotFound(client, operation, { ...ids, ...unknown }));
  });
});

/** Names that may be missing: entities that a PUT creates, and operations that are not active. */
function isFree({ method, path }: Operation, name: string): boolean {
  if (method === 'PUT') return path.endsWith(`{${name}}`) || path.includes('by-external-id');
  return method === 'DELETE' && name === 'operation_id';
}

async function expectNotFound(client: Client, operation: Operation, ids: Ids): Promise<void> {
  const answer = await call(client, operation, ids);
  if (answer.status !== 404) throw unexpected(operation, answer);
}

function unexpected({ name }: Operation, { status, body }: Answer): Error {
  return new Error(`${name} → ${status} ${JSON.stringify(body).slice(0, 300)}`);
}
