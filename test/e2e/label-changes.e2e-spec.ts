import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  approve,
  Approvals,
  askFor,
  bodyFor,
  CHANGES,
  decide,
  KINDS,
  type LabelChange,
  PROMPT_KIND,
  readChange,
} from '../support/label-changes.js';
import type { Person } from '../support/people.js';
import { clientOf, publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let all: Approvals;
let me: Client;
let workspace: number;
let admin: string;
let asker: Person;
let approver: Person;
let lead: Person;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  all = await Approvals.create(app);
  ({ me, workspace, admin, asker, approver, lead } = all);
});
afterAll(() => app.stop());

let count = 0;

describe('a label change', () => {
  it('is approved by a person, not by the asker, keys or the operator', async () => {
    const { made, change } = await all.newChange('prod', lead.browser);
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
    expect(await all.labels(PROMPT_KIND, made)).toEqual({ prod: 1 });
    const own = (await approver.browser.post('/api/public/v2/me/api-keys', { name: 'own' }, 201)) as { secret: string };
    await approve(app.clientWith(own.secret), change);
    expect(await all.labels(PROMPT_KIND, made)).toEqual({ prod: 2 });
  });

  it('requested with a service key is not approved by the user who created it, not even with another key or a rotated one', async () => {
    const maker = await all.join(['admin']);
    const keys = `${admin}/api-keys`;
    const made = (await maker.browser.post(keys, { roles: ['admin'] }, 201)) as { secret: string };
    const byKey = (await app.clientWith(made.secret).post(keys, { roles: ['publisher'] }, 201)) as { secret: string };
    const { api_key: other } = (await me.post(keys, { roles: ['publisher'] }, 201)) as { api_key: { id: number } };
    const rotated = (await maker.browser.post(`${keys}/${other.id}/rotate`, {}, 201)) as { secret: string };
    for (const { secret } of [made, byKey, rotated]) {
      const { change } = await all.newChange(undefined, app.clientWith(secret));
      expect(change.asked_by.user_id).toBe(maker.userId);
      expect(await approve(maker.browser, change, 403)).toMatchObject({ error: 'approver_is_asker' });
      await approve(approver.browser, change);
    }
    const { change } = await all.newChange(undefined, app.clientWith(made.secret));
    expect((await decide(maker.browser, change, 'cancel')).status).toBe(200);
  });

  it('requested with a key of an unknown creator has no asker, and any approver can approve it', async () => {
    const program = await clientOf(app, workspace, { roles: ['publisher'] });
    const { change } = await all.newChange(undefined, program);
    expect(change.asked_by.user_id).toBeNull();
    await approve(approver.browser, change);
  });

  it('is outdated when the asker was removed or has lost the permission, or the key was revoked', async () => {
    const person = await all.join(['publisher']);
    const { made, change } = await all.newChange('prod', person.browser);
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
    expect(await all.labels(PROMPT_KIND, made)).toEqual({ prod: 1 });
  });

  it('stays valid when the personal key of the asker is revoked, because the asker is still a member', async () => {
    const person = await all.join(['publisher']);
    const own = '/api/public/v2/me/api-keys';
    const issued = (await person.browser.post(own, { name: 'own' }, 201)) as {
      secret: string;
      api_key: { id: number };
    };
    const { change } = await all.newChange(undefined, app.clientWith(issued.secret));
    await person.browser.delete(`${own}/${issued.api_key.id}`);
    await approve(approver.browser, change);
  });

  it('cannot be approved by somebody who was removed or has lost the role meanwhile', async () => {
    const person = await all.join(['approver']);
    const { change } = await all.newChange();
    await me.patch(`${admin}/members/${person.userId}`, { roles: ['viewer'] });
    await approve(person.browser, change, 403);
    await me.delete(`${admin}/members/${person.userId}`);
    await approve(person.browser, change, 401);
    expect(await readChange(me, change.id)).toMatchObject({ state: 'open' });
  });

  it('is outdated when a process of the last release has moved the label, which does not look at requests', async () => {
    const { made, change } = await all.newChange('prod');
    await app.sql(`UPDATE prompt_labels SET version_number = 2 WHERE prompt_id = $1`, [made.id]);
    expect(await approve(approver.browser, change, 409)).toMatchObject({ error: 'label_change_outdated' });
    expect(await readChange(me, change.id)).toMatchObject({ outdated_because: 'label_moved', from_version_number: 1 });
  });

  it('expires after seven days', async () => {
    const { made, change } = await all.newChange('prod');
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
    const { made, change } = await all.newChange('prod');
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
    expect(await all.labels(PROMPT_KIND, made)).toEqual({ prod: 1 });
    const states = (await all.events('label_change_ended')).slice(0, 2).map(({ state }) => state);
    expect(states).toEqual(['cancelled', 'rejected']);
    const actions = (await all.entries(`entity_type=label_change`)).slice(0, 4).map(({ action }) => action);
    expect(actions).toEqual(['cancel', 'create', 'reject', 'create'].map((verb) => `label_change.${verb}`));
  });

  it('is asked for once: again it is the open request, and another change has to wait', async () => {
    const { made, change } = await all.newChange('prod');
    expect(await askFor(asker.browser, bodyFor(PROMPT_KIND, made, { reason: 'Again' }))).toEqual(change);
    const other = await asker.browser.post(CHANGES, bodyFor(PROMPT_KIND, made, { version_number: null }), 409);
    expect(other).toMatchObject({ error: 'label_change_exists', message: expect.stringContaining(change.id) });
    expect(await lead.browser.post(CHANGES, bodyFor(PROMPT_KIND, made), 409)).toMatchObject({
      error: 'label_change_exists',
    });
    const created = await all.entries(`entity_id=${change.id}`);
    expect(created).toHaveLength(1);
  });

  it('is created once when several users request it at the same moment', async () => {
    const made = await all.item(PROMPT_KIND, 'prod');
    const asked = [asker, lead, asker, lead].map(({ browser }) =>
      browser.request('POST', CHANGES, bodyFor(PROMPT_KIND, made)),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 409, 409]);
    expect(await app.sql(`SELECT id FROM label_changes WHERE item_id = $1`, [made.id])).toHaveLength(1);
  });

  it('is approved once by many at once', async () => {
    const { made, change } = await all.newChange('prod');
    const approvals = [approver, lead, approver, lead].map(({ browser }) => decide(browser, change, 'approve'));
    const answers = await Promise.all(approvals);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect(await all.labels(PROMPT_KIND, made)).toEqual({ prod: 2 });
    expect(await all.entries(`entity_id=${change.id}&action=label_change.approve`)).toHaveLength(1);
  });

  it.each(KINDS)('for a $kind is approved or outdated when its item is deleted at the same time', async (kind) => {
    const made = await all.item(kind);
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
    const { made, change } = await all.newChange('prod');
    await decide(asker.browser, change, 'cancel');
    const second = await askFor(asker.browser, bodyFor(PROMPT_KIND, made));
    const list = async (query: string, client = me) =>
      (await client.get(`${CHANGES}?${query}`)) as { data: LabelChange[]; next_cursor: string | null };
    const of = `kind=prompt&item_id=${made.id}&label=prod`;
    const both = await list(of);
    expect(both.data.map(({ id }) => id)).toEqual([second.id, change.id]);
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
    const made = await all.item(PROMPT_KIND);
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
    const made = await all.item(PROMPT_KIND, 'prod');
    const ask = (more: object) => asker.browser.post(CHANGES, bodyFor(PROMPT_KIND, made, more), 409);
    expect(await ask({ label: 'dev' })).toMatchObject({ error: 'approval_not_needed' });
    expect(await ask({ version_number: 1 })).toMatchObject({ error: 'label_change_empty' });
    const bare = await all.item(PROMPT_KIND);
    const removal = bodyFor(PROMPT_KIND, bare, { version_number: null });
    expect(await asker.browser.post(CHANGES, removal, 409)).toMatchObject({ error: 'label_change_empty' });
  });

  it('is about one label however its letters are written', async () => {
    await all.protect(['sch\u00f6n'], []);
    const made = await PROMPT_KIND.create(me, workspace, `own_${++count}`, 'scho\u0308n');
    await all.protect(['sch\u00f6n', 'prod'], ['sch\u00f6n', 'prod']);
    const change = await askFor(asker.browser, bodyFor(PROMPT_KIND, made, { label: 'sch\u00f6n' }));
    expect(change).toMatchObject({ label: 'scho\u0308n', from_version_number: 1 });
    await approve(approver.browser, change);
    expect(await all.labels(PROMPT_KIND, made)).toEqual({ 'scho\u0308n': 2 });
    await all.protect(['prod'], ['prod']);
  });

  it('for skills does not remove another label from the version', async () => {
    const [, , , skills] = KINDS;
    const made = await all.item(skills!, 'dev');
    const ask = () => asker.browser.post(CHANGES, bodyFor(skills!, made, { version_number: 1 }), 409);
    expect(await ask()).toMatchObject({
      error: 'label_change_impossible',
      message: expect.stringContaining('the label dev'),
    });
  });

  it('does not happen when the prompt cannot have it, and stays open', async () => {
    const name = `snippet_${++count}`;
    await all.protect(['prod'], []);
    const text = (body: string) => ({ isSnippet: true, text: body });
    await publishPrompt(me, name, { ...text('plain'), labels: ['prod'] });
    const { id } = await publishPrompt(me, name, text('second'));
    const outer = `outer_${count}`;
    await publishPrompt(me, outer, text(`@@@${name}@label:prod@@@`));
    await publishPrompt(me, name, text(`@@@${outer}@@@`));
    await all.protect(['prod'], ['prod']);
    const made = { id: String(id), name };
    const change = await askFor(asker.browser, bodyFor(PROMPT_KIND, made, { version_number: 3 }));
    expect(await approve(approver.browser, change, 409)).toMatchObject({ error: 'label_change_impossible' });
    expect(await readChange(me, change.id)).toMatchObject({ state: 'open', current_version_number: 1 });
  });
});
