import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import { clientOf, labelsOf, promptBody, PROMPTS, promptUrl, PUBLISH, publishPrompt } from '../support/prompts.js';
import { createSkills, saveSkills, skillUrl } from '../support/skills.js';
import { TestApp } from '../support/test-app.js';
import { createTool } from '../support/tools.js';
import { graphOf, SAVE, saveWorkflow } from '../support/workflows.js';

const ENTITIES = '/api/public/v2/folders/entities';

let app: TestApp;
let me: Client;
let workspace: number;
let admin: string;
/** Clients: the first may change unprotected labels only, the second also protected ones. */
let member: Client;
let approver: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  ({ workspace_id: workspace } = await publishPrompt(me, 'first'));
  admin = `/api/admin/v1/workspaces/${workspace}`;
  member = await clientOf(app, workspace, { roles: ['member'] });
  approver = await clientOf(app, workspace, { roles: ['contributor', 'publisher', 'approver'] });
});
afterAll(() => app.stop());

const protect = (...names: string[]) => me.patch(`${admin}/settings`, { protected_labels: names });
const needApproval = (...names: string[]) => me.patch(`${admin}/settings`, { approval_labels: names });

/** All labels of the installation, with their versions. */
const labels = () =>
  app.sql(`
    SELECT l.id::text, l.name, version_number AS version, p.deleted_at FROM prompt_labels l JOIN prompts p ON p.id = l.prompt_id
    UNION ALL SELECT l.id::text, l.name, version_number, t.deleted_at FROM tool_labels l JOIN tools t ON t.id = l.tool_id
    UNION ALL SELECT l.id::text, l.name, version_number, w.deleted_at FROM workflow_labels l JOIN workflows w ON w.id = l.workflow_id
    UNION ALL SELECT v.id::text, v.label, v.number, c.deleted_at
                FROM skill_versions v JOIN skill_collections c ON c.id = v.collection_id WHERE v.label IS NOT NULL
    ORDER BY 1`);

type Asked = [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object];
let count = 0;

async function prompt(...names: string[]) {
  const name = `prompt ${++count}`;
  const { id } = await publishPrompt(me, name, { labels: names, externalIds: [{ source: 'crm', external_id: name }] });
  await publishPrompt(me, name);
  const { release_labels: all } = (await me.get(`${promptUrl(id)}/labels`)) as {
    release_labels: { release_label_id: number }[];
  };
  return { id, name, label: all[0]?.release_label_id };
}

async function tool(...names: string[]): Promise<string> {
  const id = await createTool(me, `tool_${++count}`);
  for (const name of names) await me.put(`${admin}/tools/${id}/labels/${name}`, { version_number: 1 });
  return `${admin}/tools/${id}`;
}

async function workflow(...names: string[]) {
  const name = `workflow ${++count}`;
  const { workflow_id: id } = await saveWorkflow(me, { name, ...graphOf(), release_labels: names });
  return { id, name, path: `${admin}/workflows/${id}` };
}

async function skills(label?: string): Promise<string> {
  const { skill_collection: collection } = await createSkills(me, `skills ${++count}`, { 'a/SKILL.md': 'A' });
  if (label) await saveSkills(me, collection.id, { release_label: label });
  return collection.id;
}

const inFolder = async (id: number, type: string): Promise<Asked> => {
  const { folder } = (await me.post('/api/public/v2/folders', { name: `folder ${++count}` }, 201)) as {
    folder: { id: number };
  };
  await me.post(ENTITIES, { entities: [{ id, type }], folder_id: folder.id });
  return ['DELETE', ENTITIES, { entities: [{ id: folder.id, type: 'FOLDER' }], cascade: true }];
};

/**
 * Requests that create, move or delete a label "prod". Each function makes the entities that it needs, and returns the
 * request.
 */
const ROUTES: [what: string, prepare: () => Promise<Asked>][] = [
  ['publishes a new prompt with it', async () => ['POST', PUBLISH, promptBody(`prompt ${++count}`, PROD)]],
  ['publishes a version with it', async () => ['POST', PUBLISH, promptBody((await prompt()).name, PROD)]],
  ['moves it by a publication', async () => ['POST', PUBLISH, promptBody((await prompt('prod')).name, PROD)]],
  [
    'publishes by an external id',
    async () => {
      const { name } = await prompt('prod');
      return ['PUT', `${PROMPTS}/by-external-id/crm/${encodeURIComponent(name)}`, promptBody(name, PROD)];
    },
  ],
  [
    'patches a prompt',
    async () => ['PATCH', promptUrl((await prompt()).id, PUBLISH), { release_labels: ['dev', 'prod'] }],
  ],
  [
    'creates it on a prompt',
    async () => ['POST', `/prompts/${(await prompt()).id}/label`, { name: ' prod ', prompt_version_number: 1 }],
  ],
  ['moves it', async () => ['PATCH', `/prompt-labels/${(await prompt('prod')).label}`, { prompt_version_number: 2 }]],
  ['leaves it where it is', async () => ['PATCH', `/prompt-labels/${(await prompt('prod')).label}`, VERSION]],
  ['deletes it', async () => ['DELETE', `/prompt-labels/${(await prompt('prod')).label}`]],
  [
    'deletes a prompt that has it',
    async () => ['DELETE', ENTITIES, { entities: [{ id: (await prompt('dev', 'prod')).id, type: 'PROMPT' }] }],
  ],
  ['deletes the folder of a prompt that has it', async () => inFolder((await prompt('prod')).id, 'PROMPT')],
  ['creates it on a tool', async () => ['PUT', `${await tool()}/labels/prod`, { version_number: 1 }]],
  ['moves it on a tool', async () => ['PUT', `${await tool('prod')}/labels/prod`, { version_number: 1 }]],
  ['deletes it from a tool', async () => ['DELETE', `${await tool('prod')}/labels/prod`]],
  ['deletes a tool that has it', async () => ['DELETE', await tool('prod')]],
  [
    'creates a workflow with it',
    async () => ['POST', SAVE, { name: `workflow ${++count}`, ...graphOf(), release_labels: ['prod'] }],
  ],
  [
    'saves a version of a workflow with it',
    async () => ['POST', SAVE, { workflow_id: (await workflow('prod')).id, ...graphOf(), release_labels: ['prod'] }],
  ],
  ['patches a workflow', async () => ['PATCH', `${SAVE}/${(await workflow()).id}`, { release_labels: ['prod'] }]],
  ['puts it on a workflow', async () => ['PUT', `${(await workflow()).path}/labels/prod`, { version_number: 1 }]],
  ['deletes it from a workflow', async () => ['DELETE', `${(await workflow('prod')).path}/labels/prod`]],
  ['deletes a workflow that has it', async () => ['DELETE', (await workflow('prod')).path]],
  ['deletes the folder of a workflow that has it', async () => inFolder((await workflow('prod')).id, 'WORKFLOW')],
  [
    'saves a version of skills with it',
    async () => ['POST', `${skillUrl(await skills('prod'))}/versions`, { release_label: 'prod' }],
  ],
  ['deletes skills that have it', async () => ['DELETE', `${admin}/skill-collections/${await skills('prod')}`]],
];
const PROD = { labels: ['prod'] };
const VERSION = { prompt_version_number: 1 };

const REFUSED =
  'The label prod is protected in this workspace: only keys with the permission PROTECTED_LABELS, such as those with the role admin or approver, may create, move or delete it, or delete what has it.';

const UNAPPROVED =
  'Changes of the label prod need the approval of a second person in this workspace. Ask for one with POST /api/public/v2/label-changes. To delete something that has the label, ask for the removal of the label first.';

describe('a protected label', () => {
  it.each(ROUTES)('is kept from a member who %s, and left to an approver', async (_, prepare) => {
    await protect('prod');
    const [asked, before] = [await prepare(), await labels()];
    const { status, body } = await member.request(...asked);
    expect([status, body]).toEqual([403, expect.objectContaining({ success: false, message: REFUSED })]);
    expect((body as { error?: string }).error ?? 'label_protected').toBe('label_protected');
    expect(await labels()).toEqual(before);
    expect((await approver.request(...asked)).status).toBeLessThan(300);
  });

  it.each(ROUTES)('that needs an approval is kept from everybody who %s alone', async (_, prepare) => {
    await protect('prod');
    const [asked, before] = [await prepare(), await labels()];
    await needApproval('prod');
    for (const client of [approver, me]) {
      const { status, body } = await client.request(...asked);
      expect([status, body]).toEqual([403, expect.objectContaining({ success: false, message: UNAPPROVED })]);
    }
    expect(await labels()).toEqual(before);
    await needApproval();
    expect((await approver.request(...asked)).status).toBeLessThan(300);
  });

  it('is like others until somebody protects it', async () => {
    await protect('other', 'Prod');
    await every(ROUTES, async ([what, prepare]) => {
      const { status } = await member.request(...(await prepare()));
      expect([what, Math.floor(status / 100)]).toEqual([what, 2]);
    });
  });

  it('is checked after the permission that every label needs, and after missing entities', async () => {
    await protect('prod');
    const { id, label } = await prompt('prod');
    const alone = await clientOf(app, workspace, { roles: ['approver'] });
    expect(await alone.delete(`/prompt-labels/${label}`, 403)).toMatchObject({ error: 'permission_missing' });
    await member.post('/prompts/999999/label', { name: 'prod', ...VERSION }, 404);
    await member.delete(`${await tool()}/labels/prod`, 404);
    await member.post(`/prompts/${id}/label`, { name: 'dev', ...VERSION });
    expect(await labelsOf(me, id)).toEqual({ dev: 1, prod: 1 });
  });

  it('is one label however its letters are written', async () => {
    await protect('sch\u00f6n');
    const { id } = await prompt();
    await member.post(`/prompts/${id}/label`, { name: 'scho\u0308n', ...VERSION }, 403);
    await member.post(`/prompts/${id}/label`, { name: 'Sch\u00f6n', ...VERSION });
  });

  it('is one of this workspace alone', async () => {
    await protect('prod');
    const other = await publishPrompt(await app.stranger(), 'theirs');
    const theirs = await clientOf(app, other.workspace_id, { roles: ['member'] });
    await theirs.post(`/prompts/${other.id}/label`, { name: 'prod', ...VERSION });
  });

  it('is granted only by those who have it: a member cannot grant the role', async () => {
    const keys = `${admin}/api-keys`;
    await member.post(keys, { role: 'approver' }, 403);
    await member.post(keys, { roles: ['viewer', 'admin'] }, 403);
    await me.post(keys, { role: 'approver' }, 201);
  });
});

describe('the list of protected labels', () => {
  const settings = () => me.get(`${admin}/settings`);

  it('is trimmed, says each name once, and is in the audit trail', async () => {
    await protect();
    await protect('prod', ' live ', 'prod');
    expect(await settings()).toMatchObject({ settings: { protected_labels: ['prod', 'live'] } });
    await me.patch(`${admin}/settings`, { auto_recalculate: 'off' });
    expect(await settings()).toMatchObject({ settings: { protected_labels: ['prod', 'live'] } });
    const { data } = (await me.get(`${admin}/audit-entries?entity_type=workspace_settings&limit=1`)) as {
      data: { action: string; details: object }[];
    };
    expect(data[0]).toMatchObject({
      action: 'workspace_settings.update',
      details: { from: { protectedLabels: [] }, to: { protectedLabels: ['prod', 'live'] } },
    });
  });

  it('is refused where it is none, and to everybody but administrators', async () => {
    await protect('prod');
    const bad = [null, 'prod', {}, [''], [' '], [null], [1], [['prod']], ['x'.repeat(256)], Array(101).fill('prod')];
    for (const protected_labels of bad) {
      const { status } = await me.request('PATCH', `${admin}/settings`, { protected_labels });
      expect([protected_labels, status]).toEqual([protected_labels, 422]);
    }
    for (const client of [member, approver]) await client.patch(`${admin}/settings`, { protected_labels: [] }, 403);
    expect(await settings()).toMatchObject({ settings: { protected_labels: ['prod'] } });
    for (const name of ['a\0b', '\ud800', '💡'.repeat(100), `'{"}`, 'x'.repeat(255)]) {
      expect((await me.request('PATCH', `${admin}/settings`, { protected_labels: [name] })).status).toBe(200);
    }
    await protect(...Array.from({ length: 100 }, (_, at) => `label ${at}`));
  });
});
