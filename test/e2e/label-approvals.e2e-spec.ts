import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  approve,
  Approvals,
  askFor,
  bodyFor,
  CHANGES,
  KINDS,
  PROMPT_KIND,
  readChange,
  REASON,
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

describe.each(KINDS)('a label of a $kind that needs an approval', (kind) => {
  it('stays where it is until a second person approves, and moves with that', async () => {
    const made = await all.item(kind, 'prod');
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
    expect(await all.labels(kind, made)).toEqual({ prod: 1 });
    expect(await readChange(me, change.id)).toMatchObject({ current_version_number: 1 });
    const approved = await approve(approver.browser, change, 200, { reason: 'Checked' });
    expect(approved).toMatchObject({ label_change: { state: 'approved', decision_reason: 'Checked' } });
    expect(await all.labels(kind, made)).toEqual({ prod: 2 });
    expect(await readChange(me, change.id)).toMatchObject({ state: 'approved', current_version_number: 2 });
    const [entry] = await all.entries(`entity_id=${change.id}&action=label_change.approve`);
    const names = (await me.get(`${admin}/members`)) as { members: { user_id: number; name: string }[] };
    const nameOf = ({ userId }: Person) => names.members.find(({ user_id: id }) => id === userId)!.name;
    expect(entry!.details).toMatchObject({
      reason: REASON,
      decision_reason: 'Checked',
      asked_by_name: nameOf(asker),
      decided_by_name: nameOf(approver),
      asked_user_id: asker.userId,
    });
    const [moved] = await all.entries(`action=${kind.actions.moved}`);
    expect(moved!.key_name).toBe(nameOf(approver));
    expect((await all.events('label_change_ended'))[0]).toMatchObject({
      label_change_id: change.id,
      state: 'approved',
      decision_reason: 'Checked',
    });
  });

  it('is created and removed the same way, and its item is deleted after that', async () => {
    const made = await all.item(kind);
    const created = await askFor(asker.browser, bodyFor(kind, { ...made, id: made.name }));
    expect(created).toMatchObject({ item_id: made.id, from_version_number: null });
    await approve(approver.browser, created);
    expect(await all.labels(kind, made)).toEqual({ prod: 2 });
    const [method, path, body] = kind.delete(workspace, made);
    const refused = await me.request(method, path, body);
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('removal of the label') } });
    const removal = await askFor(asker.browser, bodyFor(kind, made, { version_number: null }));
    await approve(approver.browser, removal);
    expect(await all.labels(kind, made)).toEqual({});
    expect((await all.entries(`action=${kind.actions.removed}`))[0]).toBeDefined();
    expect((await me.request(method, path, body)).status).toBe(200);
    expect(await readChange(me, removal.id)).toMatchObject({ state: 'approved', current_version_number: null });
  });

  it('is asked for with the permission to change labels of the kind, in the own workspace', async () => {
    const made = await all.item(kind);
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
    const made = await all.item(kind, 'prod');
    const change = await askFor(asker.browser, bodyFor(kind, made));
    await all.protect(['prod'], []);
    const [method, path, body] = kind.direct(workspace, made);
    expect((await me.request(method, path, body)).status).toBeLessThan(300);
    const now = await all.labels(kind, made);
    await all.protect(['prod'], ['prod']);
    expect(await approve(approver.browser, change, 409)).toMatchObject({ error: 'label_change_outdated' });
    expect(await readChange(me, change.id)).toMatchObject({ state: 'outdated', outdated_because: 'label_moved' });
    expect(await all.labels(kind, made)).toEqual(now);
    const other = await all.item(kind);
    const second = await askFor(asker.browser, bodyFor(kind, other));
    const [deletes, at, what] = kind.delete(workspace, other);
    expect((await me.request(deletes, at, what)).status).toBe(200);
    expect(await approve(approver.browser, second, 409)).toMatchObject({ error: 'label_change_outdated' });
    expect(await readChange(me, second.id)).toMatchObject({ outdated_because: 'item_deleted' });
  });
});

describe('the labels that need an approval', () => {
  const settings = async () =>
    ((await me.get(`${admin}/settings`)) as { settings: { protected_labels: string[]; approval_labels: string[] } })
      .settings;

  it('are protected ones, and a label that is no longer protected needs none', async () => {
    await all.protect(['prod', 'live'], ['prod', 'live']);
    await me.patch(`${admin}/settings`, { protected_labels: ['live'] });
    expect(await settings()).toMatchObject({ protected_labels: ['live'], approval_labels: ['live'] });
    const refused = await me.patch(`${admin}/settings`, { approval_labels: ['prod'] }, 400);
    expect(refused).toMatchObject({ error: 'approval_label_unprotected' });
    for (const approval_labels of [null, 'prod', {}, [''], [1], ['x'.repeat(256)], Array(101).fill('prod')]) {
      expect((await me.request('PATCH', `${admin}/settings`, { approval_labels })).status).toBe(422);
    }
    await all.protect(['prod'], ['prod']);
  });

  it('are changed by administrators alone, with an audit entry and an event', async () => {
    for (const { browser } of [asker, approver, lead]) {
      await browser.patch(`${admin}/settings`, { approval_labels: [] }, 403);
    }
    const before = (await all.events('approval_labels_changed')).length;
    await me.patch(`${admin}/settings`, { auto_recalculate: 'deterministic' });
    expect(await all.events('approval_labels_changed')).toHaveLength(before);
    await me.patch(`${admin}/settings`, { approval_labels: [] });
    expect((await all.events('approval_labels_changed'))[0]).toEqual({
      approval_labels: [],
      old_approval_labels: ['prod'],
    });
    const [entry] = await all.entries('action=workspace_settings.update');
    expect(entry!.details).toMatchObject({ from: { approvalLabels: ['prod'] }, to: { approvalLabels: [] } });
    await all.protect(['prod'], ['prod']);
  });

  it('are refused to members without the permission with the way to ask, and only in this workspace', async () => {
    const { made } = await all.newChange();
    const [method, path, body] = PROMPT_KIND.direct(workspace, made);
    expect((await asker.browser.request(method, path, body)).body).toMatchObject({ error: 'approval_needed' });
    const stranger = await app.stranger();
    await publishPrompt(stranger, 'theirs', { labels: ['prod'] });
  });

  it('get no A/B release, and one from before can be deleted', async () => {
    await all.protect(['prod'], []);
    const { id } = await PROMPT_KIND.create(me, workspace, `own_${++count}`, 'prod');
    const { release_labels: found } = (await me.get(`/prompt-templates/${id}/labels`)) as {
      release_labels: { release_label_id: number }[];
    };
    const split = [{ prompt_version_number: 2, percentage: 100 }];
    const url = '/api/public/v2/ab-releases';
    const body = { prompt_label_id: found[0]!.release_label_id, split };
    const { ab_release: release } = (await me.post(url, body, 201)) as { ab_release: { id: number } };
    await all.protect(['prod'], ['prod']);
    expect(await me.patch(`${url}/${release.id}`, { split }, 403)).toMatchObject({ error: 'ab_release_unapproved' });
    await lead.browser.delete(`${url}/${release.id}`, 204);
    expect(await me.post(url, body, 403)).toMatchObject({ error: 'ab_release_unapproved' });
  });
});
