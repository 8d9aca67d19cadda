import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockMembers } from '../../src/administration/members/members.queries.js';
import { lockUsers } from '../../src/administration/users/users.queries.js';
import type { Client } from '../support/client.js';
import { between } from '../support/locks.js';
import {
  GROUPS,
  groupBody,
  patchBody,
  provider as scimProvider,
  type Resource,
  sent,
  USERS,
  userBody,
} from '../support/scim.js';
import { ADMIN, invite, newWorkspace, sessionOf, SingleSignOnApp } from '../support/single-sign-on.js';
import type { TestApp } from '../support/test-app.js';

let sso: SingleSignOnApp;
let app: TestApp;
let idp: Client;
beforeAll(async () => {
  sso = await SingleSignOnApp.start({ DATABASE_POOL: '12' });
  ({ app } = sso);
  idp = await scimProvider(app);
});
afterAll(() => sso.stop());

/** Transactions that are victims of a deadlock are run again, so answers do not show it. */
async function deadlocks(): Promise<number> {
  const [row] = (await app.sql('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()')) as [
    { deadlocks: number },
  ];
  return row.deadlocks;
}

const rule = (group: string, workspaceId: number) =>
  app.operator().post(`${ADMIN}/group-rules`, { group, workspace_id: workspaceId, roles: ['viewer'] }, 201);

describe('locks about people are taken in one order', () => {
  it('by a first sign-in with open invitations and groups with rules', async () => {
    const [low, high] = [await newWorkspace(app), await newWorkspace(app)];
    await rule('lock-staff', low.id);
    const person = sso.person({ groups: ['lock-staff'] });
    await invite(high.admin, high.path, person.email);
    const browser = sso.visitor();
    await between(
      app,
      (tx) => lockMembers(tx, low.id),
      () => browser.signIn('first', sso.first, person),
      (tx) => lockMembers(tx, high.id),
    );
    const ids = (await sessionOf(browser)).workspaces.map(({ id }) => id);
    expect(ids.toSorted()).toEqual([low.id, high.id]);
    expect(await deadlocks()).toBe(0);
  });

  it('by a sign-in that accepts an invitation', async () => {
    const person = sso.person();
    const { browser } = await sso.signedIn(person);
    const { user } = await sessionOf(browser);
    const { id, admin, path } = await newWorkspace(app);
    const token = await invite(admin, path, person.email);
    const { body } = await browser.request('POST', '/console/invitation/sign-in', { token, provider: 'first' });
    const departed = new URL((body as { url: string }).url);
    await between(
      app,
      (tx) => lockUsers(tx, [user.id]),
      () => browser.arrive('first', departed, { code: sso.first.grant(departed, person) }),
      (tx) => lockMembers(tx, id),
    );
    expect((await sessionOf(browser)).workspaces.map((each) => each.id)).toContain(id);
    expect(await deadlocks()).toBe(0);
  });

  it('by an invitation that is accepted with a password', async () => {
    const email = 'locked@example.com';
    const { browser } = await sso.withPassword(email);
    const { user } = await sessionOf(browser);
    const { id, admin, path } = await newWorkspace(app);
    const body = { token: await invite(admin, path, email), password: 'correct horse battery' };
    await between(
      app,
      (tx) => lockUsers(tx, [user.id]),
      () => app.clientWith(null).post('/console/invitation/accept', body, 201),
      (tx) => lockMembers(tx, id),
    );
    expect(await deadlocks()).toBe(0);
  });

  it('by a link that is used while another one is created', async () => {
    const { browser } = await sso.withPassword('link-locked@example.com');
    const { user } = await sessionOf(browser);
    const { path } = (await app.operator().post(`${ADMIN}/users/${user.id}/password-links`, undefined, 201)) as {
      path: string;
    };
    const body = { token: path.split('#')[1], password: 'correct horse battery' };
    await between(
      app,
      (tx) => lockUsers(tx, [user.id]),
      // The link ends with the one that is created first.
      () => app.clientWith(null).post('/console/password', body, 404),
      (tx) => tx.query('DELETE FROM user_links WHERE user_id = $1', [user.id]),
    );
    expect(await deadlocks()).toBe(0);
  });

  it('by changes of members, of users and of rules', async () => {
    const { browser, workspace } = await sso.withPassword('member-locked@example.com');
    const { user } = await sessionOf(browser);
    const second = await newWorkspace(app);
    await between(
      app,
      (tx) => lockUsers(tx, [user.id]),
      () => workspace.admin.patch(`${workspace.path}/members/${user.id}`, { roles: ['viewer'] }),
      (tx) => lockMembers(tx, workspace.id),
    );
    const scim = (await idp.post(USERS, sent(userBody('rule-locked@example.com')), 201)) as Resource;
    const members = [{ value: scim.id }];
    await idp.post(GROUPS, sent(groupBody('lock-rules', { members })), 201);
    await between(
      app,
      (tx) => lockUsers(tx, [Number(scim.id)]),
      () => rule('lock-rules', second.id),
      (tx) => lockMembers(tx, second.id),
    );
    expect(await deadlocks()).toBe(0);
  });

  it('by changes of groups that have users in common', async () => {
    const workspaces = [await newWorkspace(app), await newWorkspace(app)];
    const users: string[] = [];
    for (let n = 0; n < 6; n += 1)
      users.push(((await idp.post(USERS, sent(userBody(`storm-${n}@example.com`)), 201)) as Resource).id);
    const groups: string[] = [];
    for (const [n, workspace] of workspaces.entries()) {
      groups.push(((await idp.post(GROUPS, sent(groupBody(`storm-${n}`)), 201)) as Resource).id);
      await rule(`storm-${n}`, workspace.id);
    }
    const members = (op: string, ids: string[]) => ({ op, path: 'members', value: ids.map((value) => ({ value })) });
    const half = (n: number) =>
      n % 2 === 0 ? [users.slice(0, 3), users.slice(3)] : [users.slice(3), users.slice(0, 3)];
    for (let round = 0; round < 6; round += 1) {
      const people = [sso.person({ groups: ['storm-1', 'storm-0'] }), sso.person({ groups: ['storm-0'] })];
      for (const person of people) for (const { admin, path } of workspaces) await invite(admin, path, person.email);
      const changes = groups.map((id, n) => {
        const [leaving, joining] = half(round + n) as [string[], string[]];
        return idp.patch(`${GROUPS}/${id}`, sent(patchBody(members('remove', leaving), members('add', joining))), 204);
      });
      const signIns = people.map((person) => sso.visitor().signIn('first', sso.first, person));
      const renames = users.map((id) => app.operator().patch(`${ADMIN}/users/${id}`, { name: `Round ${round}` }));
      expect(await Promise.all(signIns)).toEqual(['/console/', '/console/']);
      await Promise.all([...changes, ...renames]);
    }
    expect(await deadlocks()).toBe(0);
  });
});
