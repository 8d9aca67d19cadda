import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  approve,
  askFor,
  CHANGES,
  decide,
  type Item,
  type Kind,
  KINDS,
  type LabelChange,
  PROMPT_KIND,
  readChange,
} from '../support/label-changes.js';
import { joinWorkspace, type Person } from '../support/people.js';
import { clientOf, publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const REASON = 'Shorter answers';

let app: TestApp;
let me: Client;
let workspace: number;
let admin: string;
/** May ask, and nothing else with protected labels. */
let asker: Person;
let approver: Person;
/** May do both. */
let lead: Person;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = await app.stranger();
  ({
    workspace: { id: workspace },
  } = (await me.get('/api/public/v2/me')) as { workspace: { id: number } });
  admin = `/api/admin/v1/workspaces/${workspace}`;
  asker = await join(['contributor', 'publisher']);
  approver = await join(['approver']);
  lead = await join(['contributor', 'publisher', 'approver']);
  await protect(['prod'], ['prod']);
});
afterAll(() => app.stop());

const join = (roles: string[]) => joinWorkspace(app, me, workspace, roles);
const protect = (names: string[], approvals: string[]) =>
  me.patch(`${admin}/settings`, { protected_labels: names, approval_labels: approvals });

let count = 0;

/** An item with two versions, the first of which has the label. */
async function item(kind: Kind, label?: string): Promise<Item> {
  await protect(['prod'], []);
  const made = await kind.create(me, workspace, `item_${++count}`, label);
  await protect(['prod'], ['prod']);
  return made;
}

const bodyFor = (kind: Kind, { id }: Item, more: object = {}) => ({
  kind: kind.kind,
  item: id,
  label: 'prod',
  version_number: 2,
  reason: REASON,
  ...more,
});
const newChange = async (label?: string, client = asker.browser): Promise<{ made: Item; change: LabelChange }> => {
  const made = await item(PROMPT_KIND, label);
  return { made, change: await askFor(client, bodyFor(PROMPT_KIND, made)) };
};
const labels = (kind: Kind, made: Item) => kind.labels(me, workspace, made);

interface Entry {
  action: string;
  entity_id: string;
  key_name: string | null;
  details: Record<string, unknown>;
}
const entries = async (query: string) =>
  ((await me.get(`${admin}/audit-entries?limit=100&${query}`)) as { data: Entry[] }).data;
const events = async (type: string) =>
  ((await me.get(`${admin}/events?limit=100&event_type=${type}`)) as { data: { details: Record<string, unknown> }[] })
    .data;

describe.each(KINDS)('a label of a $kind that needs an approval', (kind) => {
  it('stays where it is until a second person approves, and moves with that', async () => {
    const made = await item(kind, 'prod');
    const [method, path, body] = kind.direct(workspace, made);
    for (const client of [lead.browser, me]) {
      const refused = await client.request(method, path, body);
      expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining(CHANGES) } });
    }
    const change = await askFor(asker.browser, bodyFor(kind, made));
    expect(change).toMatchObject({
      kind: kind.kind,
      item_id: made.id,
      item_name: made.name,
      label: 'prod',
      from_version_number: 1,
      version_number: 2,
      state: 'open',
      reason: REASON,
      asked_by: { user_id: asker.userId },
      decided_by: null,
    });
    expect(await labels(kind, made)).toEqual({ prod: 1 });
    expect(await readChange(me, change.id)).toMatchObject({ current_version_number: 1 });
    const approved = await approve(approver.browser, change, 200, { reason: 'Checked' });
    expect(approved).toMatchObject({ label_change: { state: 'approved', decision_reason: 'Checked' } });
    expect(await labels(kind, made)).toEqual({ prod: 2 });
    expect(await readChange(me, change.id)).toMatchObject({ state: 'approved', current_version_number: 2 });
    const [entry] = await entries(`entity_id=${change.id}&action=label_change.approve`);
    const names = (await me.get(`${admin}/members`)) as { members: { user_id: number; name: string }[] };
    const nameOf = ({ userId }: Person) => names.members.find(({ user_id: id }) => id === userId)!.name;
    expect(entry!.details).toMatchObject({
      reason: REASON,
      decision_reason: 'Checked',
      asked_by_name: nameOf(asker),
      decided_by_name: nameOf(approver),
      asked_user_id: asker.userId,
    });
    const [moved] = await entries(`action=${kind.actions.moved}`);
    expect(moved!.key_name).toBe(nameOf(approver));
    expect((await events('label_change_ended'))[0]!.details).toMatchObject({
      label_change_id: change.id,
      state: 'approved',
      decision_reason: 'Checked',
    });
  });

  it('is created and removed the same way, and its item is deleted after that', async () => {
    const made = await item(kind);
    const created = await askFor(asker.browser, bodyFor(kind, { ...made, id: made.name }));
    expect(created).toMatchObject({ item_id: made.id, from_version_number: null });
    await approve(approver.browser, created);
    expect(await labels(kind, made)).toEqual({ prod: 2 });
    const [method, path, body] = kind.delete(workspace, made);
    const refused = await me.request(method, path, body);
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('removal of the label') } });
    const removal = await askFor(asker.browser, bodyFor(kind, made, { version_number: null }));
    await approve(approver.browser, removal);
    expect(await labels(kind, made)).toEqual({});
    expect((await entries(`action=${kind.actions.removed}`))[0]).toBeDefined();
    expect((await me.request(method, path, body)).status).toBe(200);
    expect(await readChange(me, removal.id)).toMatchObject({ state: 'approved', current_version_number: null });
  });

  it('is asked for with the permission to change labels of the kind, in the own workspace', async () => {
    const made = await item(kind);
    const contributor = await clientOf(app, workspace, { roles: ['contributor', 'approver'] });
    expect(await contributor.post(CHANGES, bodyFor(kind, made), 403)).toMatchObject({
      error: 'permission_missing',
      message: expect.stringContaining(kind.permission),
    });
    const stranger = await app.stranger();
    const foreign = await stranger.request('POST', CHANGES, bodyFor(kind, made));
    const unknown = await stranger.request('POST', CHANGES, bodyFor(kind, { ...made, id: 'nowhere' }));
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    await asker.browser.post(CHANGES, bodyFor(kind, made, { version_number: 3 }), 404);
    await asker.browser.post(CHANGES, bodyFor(kind, made, { version_number: 2_147_483_647 }), 404);
  });

  it('makes an open request outdated when the label moves in another way or the item goes', async () => {
    const made = await item(kind, 'prod');
    const change = await askFor(asker.browser, bodyFor(kind, made));
    await protect(['prod'], []);
    const [method, path, body] = kind.direct(workspace, made);
    expect((await me.request(method, path, body)).status).toBeLessThan(300);
    const now = await labels(kind, made);
    await protect(['prod'], ['prod']);
    expect(await approve(approver.browser, change, 409)).toMatchObject({ error: 'label_change_outdated' });
    expect(await readChange(me, change.id)).toMatchObject({ state: 'outdated', outdated_because: 'label_moved' });
    expect(await labels(kind, made)).toEqual(now);
    const other = await item(kind);
    const second = await askFor(asker.browser, bodyFor(kind, other));
    const [deletes, at, what] = kind.delete(workspace, other);
    expect((await me.request(deletes, at, what)).status).toBe(200);
    expect(await approve(approver.browser, second, 409)).toMatchObject({ error: 'label_change_outdated' });
    expect(await readChange(me, second.id)).toMatchObject({ outdated_because: 'item_deleted' });
  });
});

describe('a label change', () => {
  it('is approved by a person, not by the asker, keys or the operator', async () => {
    const { made, change } = await newChange('prod', lead.browser);
    expect(await approve(lead.browser, change, 403)).toMatchObject({ error: 'approver_is_asker' });
    const { secret } = (await lead.browser.post('/api/public/v2/me/api-keys', { name: 'own' }, 201)) as {
      secret: string;
    };
    expect(await approve(app.clientWith(secret), change, 403)).toMatchObject({ error: 'approver_is_asker' });
    expect(await approve(me, change, 403)).toMatchObject({ error: 'approver_required' });
    await approve(app.operator(), change, 401);
    expect(await approve(asker.browser, change, 403)).toMatchObject({ error: 'permission_missing' });
    expect((await decide(lead.browser, change, 'reject', { reason: 'No' })).body).toMatchObject({
      error: 'approver_is_asker',
    });
    expect(await labels(PROMPT_KIND, made)).toEqual({ prod: 1 });
    const own = (await approver.browser.post('/api/public/v2/me/api-keys', { name: 'own' }, 201)) as { secret: string };
    await approve(app.clientWith(own.secret), change);
    expect(await labels(PROMPT_KIND, made)).toEqual({ prod: 2 });
  });

  it('of a service key is not approved by the user who made the key, also by way of another key or a rotation', async () => {
    const maker = await join(['admin']);
    const keys = `${admin}/api-keys`;
    const made = (await maker.browser.post(keys, { roles: ['admin'] }, 201)) as { secret: string };
    const byKey = (await app.clientWith(made.secret).post(keys, { roles: ['publisher'] }, 201)) as { secret: string };
    const { api_key: other } = (await me.post(keys, { roles: ['publisher'] }, 201)) as { api_key: { id: number } };
    const rotated = (await maker.browser.post(`${keys}/${other.id}/rotate`, {}, 201)) as { secret: string };
    for (const { secret } of [made, byKey, rotated]) {
      const { change } = await newChange(undefined, app.clientWith(secret));
      expect(change.asked_by.user_id).toBe(maker.userId);
      expect(await approve(maker.browser, change, 403)).toMatchObject({ error: 'approver_is_asker' });
      await approve(approver.browser, change);
    }
    const { change } = await newChange(undefined, app.clientWith(made.secret));
    expect((await decide(maker.browser, change, 'cancel')).status).toBe(200);
  });

  it('of a key whose maker is unknown says so, and is approved by anybody who may', async () => {
    const program = await clientOf(app, workspace, { roles: ['publisher'] });
    const { change } = await newChange(undefined, program);
    expect(change.asked_by.user_id).toBeNull();
    await approve(approver.browser, change);
  });

  it('is outdated when the asker was removed or has lost the permission, or the key was revoked', async () => {
    const person = await join(['publisher']);
    const { made, change } = await newChange('prod', person.browser);
    const path = `${admin}/members/${person.userId}`;
    await me.patch(path, { roles: ['contributor'] });
    expect(await approve(approver.browser, change, 409)).toMatchObject({
      error: 'label_change_outdated',
      message: expect.stringContaining('may no longer change'),
    });
    expect(await readChange(me, change.id)).toMatchObject({ state: 'outdated', outdated_because: 'asker_left' });
    await me.patch(path, { roles: ['publisher'] });
    const again = await askFor(person.browser, bodyFor(PROMPT_KIND, made));
    await me.delete(path);
    await approve(approver.browser, again, 409);
    const keys = `${admin}/api-keys`;
    const issued = (await me.post(keys, { roles: ['publisher'] }, 201)) as { secret: string; api_key: { id: number } };
    const third = await askFor(app.clientWith(issued.secret), bodyFor(PROMPT_KIND, made));
    await me.delete(`${keys}/${issued.api_key.id}`);
    await approve(approver.browser, third, 409);
    expect(await labels(PROMPT_KIND, made)).toEqual({ prod: 1 });
  });

  it('stands when the personal key of the asker was revoked, because the person is still a member', async () => {
    const person = await join(['publisher']);
    const own = '/api/public/v2/me/api-keys';
    const issued = (await person.browser.post(own, { name: 'own' }, 201)) as {
      secret: string;
      api_key: { id: number };
    };
    const { change } = await newChange(undefined, app.clientWith(issued.secret));
    await person.browser.delete(`${own}/${issued.api_key.id}`);
    await approve(approver.browser, change);
  });

  it('cannot be approved by somebody who was removed or has lost the role meanwhile', async () => {
    const person = await join(['approver']);
    const { change } = await newChange();
    await me.patch(`${admin}/members/${person.userId}`, { roles: ['viewer'] });
    await approve(person.browser, change, 403);
    await me.delete(`${admin}/members/${person.userId}`);
    await approve(person.browser, change, 401);
    expect(await readChange(me, change.id)).toMatchObject({ state: 'open' });
  });

  it('expires after seven days', async () => {
    const { made, change } = await newChange('prod');
    await app.sql(`UPDATE label_changes SET expires_at = now() WHERE id = $1`, [change.id]);
    expect(await readChange(me, change.id)).toMatchObject({ state: 'outdated', outdated_because: 'expired' });
    for (const verb of ['approve', 'reject', 'cancel']) {
      const client = verb === 'cancel' ? asker.browser : approver.browser;
      const answer = await decide(client, change, verb, verb === 'reject' ? { reason: 'No' } : {});
      expect([verb, answer.status, answer.body]).toMatchObject([verb, 409, { error: 'label_change_outdated' }]);
    }
    const again = await askFor(asker.browser, bodyFor(PROMPT_KIND, made));
    expect(again.id).not.toBe(change.id);
    expect(await readChange(me, change.id)).toMatchObject({ state: 'outdated', outdated_because: 'expired' });
  });

  it('is rejected with a reason, and cancelled by the asker alone', async () => {
    const { made, change } = await newChange('prod');
    await decide(approver.browser, change, 'reject', {}).then(({ status }) => expect(status).toBe(422));
    const rejected = await decide(approver.browser, change, 'reject', { reason: 'Worse in German' });
    expect(rejected.body).toMatchObject({ label_change: { state: 'rejected', decision_reason: 'Worse in German' } });
    const second = await askFor(asker.browser, bodyFor(PROMPT_KIND, made));
    for (const client of [approver.browser, lead.browser, me]) {
      expect((await decide(client, second, 'cancel')).body).toMatchObject({ error: 'label_change_of_another' });
    }
    expect((await decide(asker.browser, second, 'cancel')).body).toMatchObject({
      label_change: { state: 'cancelled' },
    });
    expect(await approve(approver.browser, second, 409)).toMatchObject({ error: 'label_change_closed' });
    expect(await labels(PROMPT_KIND, made)).toEqual({ prod: 1 });
    const states = (await events('label_change_ended')).slice(0, 2).map(({ details }) => details.state);
    expect(states).toEqual(['cancelled', 'rejected']);
    const actions = (await entries(`entity_type=label_change`)).slice(0, 4).map(({ action }) => action);
    expect(actions).toEqual(['cancel', 'create', 'reject', 'create'].map((verb) => `label_change.${verb}`));
  });

  it('is asked for once: again it is the open request, and another change has to wait', async () => {
    const { made, change } = await newChange('prod');
    expect(await askFor(asker.browser, bodyFor(PROMPT_KIND, made, { reason: 'Again' }))).toEqual(change);
    const other = await asker.browser.post(CHANGES, bodyFor(PROMPT_KIND, made, { version_number: null }), 409);
    expect(other).toMatchObject({ error: 'label_change_exists', message: expect.stringContaining(change.id) });
    expect(await lead.browser.post(CHANGES, bodyFor(PROMPT_KIND, made), 409)).toMatchObject({
      error: 'label_change_exists',
    });
    const created = await entries(`entity_id=${change.id}`);
    expect(created).toHaveLength(1);
  });

  it('of many who ask at once is one', async () => {
    const made = await item(PROMPT_KIND, 'prod');
    const asked = [asker, lead, asker, lead].map(({ browser }) =>
      browser.request('POST', CHANGES, bodyFor(PROMPT_KIND, made)),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 409, 409]);
    expect(await app.sql(`SELECT id FROM label_changes WHERE item_id = $1`, [made.id])).toHaveLength(1);
  });

  it('is approved once by many at once', async () => {
    const { made, change } = await newChange('prod');
    const approvals = [approver, lead, approver, lead].map(({ browser }) => decide(browser, change, 'approve'));
    const answers = await Promise.all(approvals);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await labels(PROMPT_KIND, made)).toEqual({ prod: 2 });
    expect(await entries(`entity_id=${change.id}&action=label_change.approve`)).toHaveLength(1);
  });

  it.each(KINDS)('of a $kind is approved, or the item is deleted, when both happen at once', async (kind) => {
    const made = await item(kind);
    const change = await askFor(asker.browser, bodyFor(kind, made));
    const [method, path, body] = kind.delete(workspace, made);
    const [approved, deleted] = await Promise.all([
      decide(approver.browser, change, 'approve'),
      me.request(method, path, body),
    ]);
    const isApproved = approved.status === 200;
    expect([approved.status, deleted.status]).toEqual(isApproved ? [200, 403] : [409, 200]);
    expect(await readChange(me, change.id)).toMatchObject({ state: isApproved ? 'approved' : 'outdated' });
  });

  it('is listed by state, item and label, page by page', async () => {
    const { made, change } = await newChange('prod');
    await decide(asker.browser, change, 'cancel');
    const second = await askFor(asker.browser, bodyFor(PROMPT_KIND, made));
    const list = async (query: string, client = me) =>
      (await client.get(`${CHANGES}?${query}`)) as { data: LabelChange[]; next_cursor: string | null };
    const of = `kind=prompt&item_id=${made.id}&label=prod`;
    const all = await list(of);
    expect(all.data.map(({ id }) => id)).toEqual([second.id, change.id]);
    expect((await list(`${of}&order=asc`)).data.map(({ id }) => id)).toEqual([change.id, second.id]);
    expect((await list(`${of}&state=open`)).data.map(({ id }) => id)).toEqual([second.id]);
    await app.sql(`UPDATE label_changes SET expires_at = now() WHERE id = $1`, [second.id]);
    expect((await list(`${of}&state=open`)).data).toEqual([]);
    expect((await list(`${of}&state=outdated`)).data.map(({ id }) => id)).toEqual([second.id]);
    const first = await list(`${of}&limit=1`);
    expect((await list(`${of}&limit=1&cursor=${first.next_cursor}`)).data.map(({ id }) => id)).toEqual([change.id]);
    await me.get(`${CHANGES}?kind=tool&limit=1&cursor=${first.next_cursor}`, 400);
    for (const query of ['state=x', 'kind=x', 'limit=0', 'limit=101', 'unknown=1', `label=${'x'.repeat(256)}`]) {
      await me.get(`${CHANGES}?${query}`, 422);
    }
    expect((await list(`label=${encodeURIComponent('a\0b\ud800'.toWellFormed())}`)).data).toEqual([]);
    const stranger = await app.stranger();
    expect((await list('', stranger)).data).toEqual([]);
    for (const verb of ['', '/approve', '/reject', '/cancel']) {
      const method = verb === '' ? 'GET' : 'POST';
      const body = verb === '/reject' ? { reason: 'No' } : verb === '' ? undefined : {};
      const foreign = await stranger.request(method, `${CHANGES}/${second.id}${verb}`, body);
      const unknown = await me.request(method, `${CHANGES}/0198c0de-0000-7000-8000-000000000000${verb}`, body);
      const malformed = await me.request(method, `${CHANGES}/7${verb}`, body);
      expect([verb, foreign.status, unknown.status, malformed.status]).toEqual([verb, 404, 404, 422]);
    }
  });

  it.each([
    ['no kind', { kind: undefined }],
    ['an unknown kind', { kind: 'dataset' }],
    ['no item', { item: undefined }],
    ['a number', { item: 7 }],
    ['an empty item', { item: ' ' }],
    ['a long item', { item: 'x'.repeat(1025) }],
    ['no label', { label: undefined }],
    ['an empty label', { label: ' ' }],
    ['a long label', { label: 'x'.repeat(256) }],
    ['a list of labels', { label: ['prod'] }],
    ['no version', { version_number: undefined }],
    ['version 0', { version_number: 0 }],
    ['half a version', { version_number: 1.5 }],
    ['a huge version', { version_number: 1e300 }],
    ['a text', { version_number: '2' }],
    ['no reason', { reason: undefined }],
    ['null', { reason: null }],
    ['an empty reason', { reason: '' }],
    ['a long reason', { reason: 'x'.repeat(2001) }],
    ['an object', { reason: JSON.parse('{"a":'.repeat(50) + '1' + '}'.repeat(50)) as object }],
    ['an unknown field', { force: true }],
  ])('is not asked for with %s', async (_, more) => {
    await asker.browser.post(CHANGES, bodyFor(PROMPT_KIND, { id: 'x', name: 'x' }, more), 422);
  });

  it('keeps texts with NUL and lone surrogates, and refuses wrong reasons of decisions', async () => {
    const made = await item(PROMPT_KIND);
    await asker.browser.post(CHANGES, bodyFor(PROMPT_KIND, { id: 'a\0\ud800', name: '' }), 404);
    const change = await askFor(asker.browser, bodyFor(PROMPT_KIND, made, { reason: 'a\0b\ud800' }));
    expect(change.reason).toBe('a\ufffdb\ufffd');
    for (const reason of [7, {}, 'x'.repeat(2001)]) {
      for (const verb of ['approve', 'reject']) {
        expect((await decide(approver.browser, change, verb, { reason })).status).toBe(422);
      }
    }
    await approve(approver.browser, change, 200, { reason: null });
  });

  it('is about a label that needs an approval, and about a change', async () => {
    const made = await item(PROMPT_KIND, 'prod');
    const ask = (more: object) => asker.browser.post(CHANGES, bodyFor(PROMPT_KIND, made, more), 409);
    expect(await ask({ label: 'dev' })).toMatchObject({ error: 'approval_not_needed' });
    expect(await ask({ version_number: 1 })).toMatchObject({ error: 'label_change_empty' });
    const bare = await item(PROMPT_KIND);
    const removal = bodyFor(PROMPT_KIND, bare, { version_number: null });
    expect(await asker.browser.post(CHANGES, removal, 409)).toMatchObject({ error: 'label_change_empty' });
  });

  it('is about one label however its letters are written', async () => {
    await protect(['sch\u00f6n'], []);
    const made = await PROMPT_KIND.create(me, workspace, `item_${++count}`, 'scho\u0308n');
    await protect(['sch\u00f6n', 'prod'], ['sch\u00f6n', 'prod']);
    const change = await askFor(asker.browser, bodyFor(PROMPT_KIND, made, { label: 'sch\u00f6n' }));
    expect(change).toMatchObject({ label: 'scho\u0308n', from_version_number: 1 });
    await approve(approver.browser, change);
    expect(await labels(PROMPT_KIND, made)).toEqual({ 'scho\u0308n': 2 });
    await protect(['prod'], ['prod']);
  });

  it('of skills does not take another label off the version', async () => {
    const [, , , skills] = KINDS;
    const made = await item(skills!, 'dev');
    const ask = () => asker.browser.post(CHANGES, bodyFor(skills!, made, { version_number: 1 }), 409);
    expect(await ask()).toMatchObject({
      error: 'label_change_impossible',
      message: expect.stringContaining('the label dev'),
    });
  });

  it('does not happen when the prompt cannot have it, and stays open', async () => {
    const name = `snippet_${++count}`;
    await protect(['prod'], []);
    const text = (body: string) => ({ isSnippet: true, text: body });
    await publishPrompt(me, name, { ...text('plain'), labels: ['prod'] });
    const { id } = await publishPrompt(me, name, text('second'));
    const outer = `outer_${count}`;
    await publishPrompt(me, outer, text(`@@@${name}@label:prod@@@`));
    await publishPrompt(me, name, text(`@@@${outer}@@@`));
    await protect(['prod'], ['prod']);
    const made = { id: String(id), name };
    const change = await askFor(asker.browser, bodyFor(PROMPT_KIND, made, { version_number: 3 }));
    expect(await approve(approver.browser, change, 409)).toMatchObject({ error: 'label_change_impossible' });
    expect(await readChange(me, change.id)).toMatchObject({ state: 'open', current_version_number: 1 });
  });
});

describe('the labels that need an approval', () => {
  const settings = async () =>
    ((await me.get(`${admin}/settings`)) as { settings: { protected_labels: string[]; approval_labels: string[] } })
      .settings;

  it('are protected ones, and a label that is no longer protected needs none', async () => {
    await protect(['prod', 'live'], ['prod', 'live']);
    await me.patch(`${admin}/settings`, { protected_labels: ['live'] });
    expect(await settings()).toMatchObject({ protected_labels: ['live'], approval_labels: ['live'] });
    const refused = await me.patch(`${admin}/settings`, { approval_labels: ['prod'] }, 400);
    expect(refused).toMatchObject({ error: 'approval_label_unprotected' });
    for (const approval_labels of [null, 'prod', {}, [''], [1], ['x'.repeat(256)], Array(101).fill('prod')]) {
      expect((await me.request('PATCH', `${admin}/settings`, { approval_labels })).status).toBe(422);
    }
    await protect(['prod'], ['prod']);
  });

  it('are changed by administrators alone, with an audit entry and an event', async () => {
    for (const { browser } of [asker, approver, lead]) {
      await browser.patch(`${admin}/settings`, { approval_labels: [] }, 403);
    }
    const before = (await events('approval_labels_changed')).length;
    await me.patch(`${admin}/settings`, { auto_recalculate: 'deterministic' });
    expect(await events('approval_labels_changed')).toHaveLength(before);
    await me.patch(`${admin}/settings`, { approval_labels: [] });
    expect((await events('approval_labels_changed'))[0]!.details).toEqual({
      approval_labels: [],
      old_approval_labels: ['prod'],
    });
    const [entry] = await entries('action=workspace_settings.update');
    expect(entry!.details).toMatchObject({ from: { approvalLabels: ['prod'] }, to: { approvalLabels: [] } });
    await protect(['prod'], ['prod']);
  });

  it('are refused to members without the permission with the way to ask, and only in this workspace', async () => {
    const { made } = await newChange();
    const [method, path, body] = PROMPT_KIND.direct(workspace, made);
    expect((await asker.browser.request(method, path, body)).body).toMatchObject({ error: 'approval_needed' });
    const stranger = await app.stranger();
    await publishPrompt(stranger, 'theirs', { labels: ['prod'] });
  });

  it('get no A/B release, and one from before can be deleted', async () => {
    await protect(['prod'], []);
    const { id } = await PROMPT_KIND.create(me, workspace, `item_${++count}`, 'prod');
    const { release_labels: found } = (await me.get(`/prompt-templates/${id}/labels`)) as {
      release_labels: { release_label_id: number }[];
    };
    const split = [{ prompt_version_number: 2, percentage: 100 }];
    const url = '/api/public/v2/ab-releases';
    const body = { prompt_label_id: found[0]!.release_label_id, split };
    const { ab_release: release } = (await me.post(url, body, 201)) as { ab_release: { id: number } };
    await protect(['prod'], ['prod']);
    expect(await me.patch(`${url}/${release.id}`, { split }, 403)).toMatchObject({ error: 'ab_release_unapproved' });
    await lead.browser.delete(`${url}/${release.id}`, 204);
    expect(await me.post(url, body, 403)).toMatchObject({ error: 'ab_release_unapproved' });
  });
});
