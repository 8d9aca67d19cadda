import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsersService } from '../../src/administration/index.js';
import type { Page } from '../support/factories.js';
import { provider as scimProvider, sent, USERS, userBody, GROUPS, groupBody } from '../support/scim.js';
import {
  ADMIN,
  failed,
  identitiesOf,
  invite,
  newWorkspace,
  SingleSignOnApp,
  sessionOf,
} from '../support/single-sign-on.js';
import type { TestApp } from '../support/test-app.js';

interface Entry {
  id: number;
  workspace_id: number;
  action: string;
  entity_type: string;
  entity_id: string;
  entity_name: string | null;
  source: string;
  key_id: number | null;
  request_id: string;
  details: Record<string, unknown>;
}

const PATH = `${ADMIN}/audit-entries`;
const PASSWORD = 'correct horse battery';

let sso: SingleSignOnApp;
let app: TestApp;
beforeAll(async () => {
  sso = await SingleSignOnApp.start();
  ({ app } = sso);
});
afterAll(() => sso.stop());

const entries = async (query: Record<string, string> = {}): Promise<Entry[]> =>
  ((await app.operator().get(`${PATH}?${new URLSearchParams({ limit: '100', ...query }).toString()}`)) as Page<Entry>)
    .data;

/** Entries after the given one, oldest first. */
async function since(id: number): Promise<Entry[]> {
  return (await entries({ order: 'asc' })).filter((entry) => entry.id > id);
}

const lastId = async () => (await entries())[0]?.id ?? 0;

/** Entries that `work` writes, as action and entity. */
async function writtenBy(work: () => Promise<unknown>): Promise<Entry[]> {
  const before = await lastId();
  await work();
  return since(before);
}

const signIn = (email: string, password: string) =>
  app.clientWith(null).request('POST', '/console/sign-in', { email, password });

describe('the audit trail of the installation', () => {
  it('records changes of workspaces by the operator, also after a workspace and its own trail are deleted', async () => {
    const operator = app.operator();
    const written = await writtenBy(async () => {
      const { workspace } = (await operator.post(`${ADMIN}/workspaces`, { name: 'Short-lived' }, 201)) as {
        workspace: { id: number };
      };
      await operator.patch(`${ADMIN}/workspaces/${workspace.id}`, { name: 'Gone' });
      const body = { workspace_id: workspace.id, dry_run: true };
      await operator.post(`${ADMIN}/workspace-deletions`, body, 202);
      await app.sql(`UPDATE workspace_deletions SET finished_at = now() WHERE workspace_id = $1`, [workspace.id]);
      await operator.post(
        `${ADMIN}/workspace-deletions`,
        { workspace_id: workspace.id, name: 'Gone', dry_run: false },
        202,
      );
    });
    expect(written).toMatchObject([
      { action: 'workspace.create', entity_name: 'Short-lived', workspace_id: 0, source: 'operator', key_id: null },
      { action: 'workspace.rename', entity_name: 'Gone', details: { old_name: 'Short-lived' } },
      { action: 'workspace.delete', entity_name: 'Gone' },
    ]);
  });

  it('has identity providers, SCIM tokens and group rules, without secrets', async () => {
    const operator = app.operator();
    const { id } = await newWorkspace(app);
    let secret = '';
    const written = await writtenBy(async () => {
      const acme = {
        slug: 'audited',
        name: 'Acme',
        issuer: 'https://id.example',
        client_id: 'x',
        client_secret: 'top-secret',
      };
      await operator.post(`${ADMIN}/identity-providers`, acme, 201);
      await operator.patch(`${ADMIN}/identity-providers/audited`, { client_secret: 'other-secret', enabled: false });
      await operator.delete(`${ADMIN}/identity-providers/audited`);
      const created = (await operator.post(`${ADMIN}/scim-tokens`, { name: 'Okta' }, 201)) as {
        secret: string;
        scim_token: { id: number };
      };
      ({ secret } = created);
      await operator.delete(`${ADMIN}/scim-tokens/${created.scim_token.id}`);
      const rule = { group: 'staff', workspace_id: id, roles: ['viewer'] };
      const { group_rule } = (await operator.post(`${ADMIN}/group-rules`, rule, 201)) as { group_rule: { id: number } };
      await operator.delete(`${ADMIN}/group-rules/${group_rule.id}`);
    });
    expect(written.map(({ action, entity_name }) => [action, entity_name])).toEqual([
      ['identity_provider.create', 'Acme'],
      ['identity_provider.update', 'Acme'],
      ['identity_provider.delete', 'Acme'],
      ['scim_token.create', 'Okta'],
      ['scim_token.revoke', 'Okta'],
      ['group_rule.create', 'staff'],
      ['group_rule.delete', 'staff'],
    ]);
    expect(written[1]!.details.fields).toEqual(['enabled', 'clientSecret']);
    expect(written[5]!.details).toMatchObject({ workspace_id: id, roles: ['viewer'] });
    expect(JSON.stringify(written)).not.toMatch(new RegExp(`top-secret|other-secret|${secret}`));
  });

  it('records users from their creation to their deletion, changed by the operator or by themselves', async () => {
    const operator = app.operator();
    const workspace = await newWorkspace(app);
    const email = 'jo@example.com';
    const token = await invite(workspace.admin, workspace.path, email);
    const links: string[] = [];
    const written = await writtenBy(async () => {
      const accepted = { token, name: 'Jo', password: PASSWORD };
      const { user } = (await app.clientWith(null).post('/console/invitation/accept', accepted, 201)) as {
        user: { id: number };
      };
      await operator.patch(`${ADMIN}/users/${user.id}`, { status: 'disabled' });
      await operator.patch(`${ADMIN}/users/${user.id}`, { status: 'active' });
      const { path } = (await operator.post(`${ADMIN}/users/${user.id}/password-links`, undefined, 201)) as {
        path: string;
      };
      links.push(path.split('#')[1]!);
      await app.clientWith(null).post('/console/password', { token: links[0], password: `${PASSWORD}!` }, 201);
      const link = await app.app.get(UsersService).createSignInLink('command-line', user.id);
      links.push(link.token);
      await app.clientWith(null).post('/console/sign-in-link', { token: link.token }, 201);
      await operator.delete(`${ADMIN}/users/${user.id}`);
    });
    expect(written.map(({ action, details }) => [action, details.by])).toEqual([
      ['user.create', 'user'],
      ['user.sign_in', 'user'],
      ['user.set_status', undefined],
      ['user.set_status', undefined],
      ['user.create_password_link', undefined],
      ['user.set_password', 'user'],
      ['user.create_sign_in_link', undefined],
      ['user.use_sign_in_link', 'user'],
      ['user.sign_in', 'user'],
      ['user.delete', undefined],
    ]);
    const [created, signedIn] = written as [Entry, Entry];
    expect(created).toMatchObject({ entity_name: 'Jo', details: { email } });
    expect(signedIn.details).toEqual({
      name: 'Jo',
      by: 'user',
      way: 'invitation',
      workspace_id: workspace.id,
      address: '127.0.0.1',
    });
    expect(written[8]!.details.way).toBe('link');
    expect(new Set(written.map(({ entity_id: id }) => id)).size).toBe(1);
    for (const text of [token, ...links, PASSWORD]) expect(JSON.stringify(written)).not.toContain(text);
    const ofUser = await entries({ user_id: created.entity_id, order: 'asc' });
    expect(ofUser.map(({ id }) => id)).toEqual(written.map(({ id }) => id));
  });

  it('records changes by a SCIM provider of users and groups in no workspace', async () => {
    const idp = await scimProvider(app);
    const written = await writtenBy(async () => {
      const { id } = (await idp.post(USERS, sent(userBody('scim@example.com')), 201)) as { id: string };
      await idp.patch(`${USERS}/${id}`, sent({ ...patch({ active: false }) }));
      await idp.delete(`${USERS}/${id}`, 204);
      const group = (await idp.post(GROUPS, sent(groupBody('Designers')), 201)) as { id: string };
      await idp.delete(`${GROUPS}/${group.id}`, 204);
    });
    expect(written.map(({ action, details }) => [action, details.by])).toEqual([
      ['user.create', 'scim'],
      ['user.set_status', 'scim'],
      ['user.delete', 'scim'],
      ['scim_group.create', 'scim'],
      ['scim_group.delete', 'scim'],
    ]);
  });
});

const patch = (value: object) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', value }],
});

describe('sign-ins in the audit trail of the installation', () => {
  it('are there with their way, and refused ones with the reason', async () => {
    const email = 'kim@example.com';
    await sso.withPassword(email);
    const written = await writtenBy(async () => {
      await signIn(email, PASSWORD);
      await signIn(email, 'wrong');
      await signIn('my-passphrase@work', 'wrong');
      await app.clientWith(null).post('/console/sign-in-link', { token: 'x'.repeat(43) }, 404);
    });
    expect(
      written.map(({ action, entity_name, details }) => [action, entity_name, details.way, details.reason]),
    ).toEqual([
      ['user.sign_in', email, 'password', undefined],
      ['user.fail_sign_in', email, 'password', 'sign_in_failed'],
      ['user.fail_sign_in', null, 'password', 'sign_in_failed'],
      ['user.fail_sign_in', null, 'link', 'link_invalid'],
    ]);
    expect(written[1]!.entity_id).toBe(written[0]!.entity_id);
    expect(written[2]!.entity_id).toBe('unknown');
    // People type passwords where the address belongs.
    expect(JSON.stringify(written)).not.toMatch(/passphrase/i);
  });

  it('are those with an identity provider, too', async () => {
    const person = sso.person();
    const stranger = sso.person();
    let userId = 0;
    const written = await writtenBy(async () => {
      const { browser } = await sso.signedIn(person);
      userId = (await sessionOf(browser)).user.id;
      expect(await sso.visitor().signIn('first', sso.first, stranger)).toBe(failed('not_admitted'));
      await app.operator().patch(`${ADMIN}/users/${userId}`, { status: 'disabled' });
      expect(await sso.visitor().signIn('first', sso.first, person)).toBe(failed('user_disabled'));
    });
    const ours = written.filter(({ action }) => !action.startsWith('workspace.'));
    expect(ours.map(({ action, entity_id, details }) => [action, entity_id, details.reason, details.provider])).toEqual(
      [
        ['user.create', String(userId), undefined, undefined],
        ['identity.link', expect.any(String), undefined, 'first'],
        ['user.sign_in', String(userId), undefined, 'first'],
        ['user.fail_sign_in', 'unknown', 'not_admitted', 'first'],
        ['user.set_status', String(userId), undefined, undefined],
        ['user.fail_sign_in', String(userId), 'user_disabled', 'first'],
      ],
    );
  });

  it('are not those that were refused for their number, or ended before anybody was known', async () => {
    const written = await writtenBy(async () => {
      const answers = [];
      for (let guess = 0; guess < 12; guess += 1) answers.push((await signIn('many@example.com', 'wrong')).status);
      expect(answers.filter((status) => status === 429)).toHaveLength(2);
      await sso.visitor().follow('/console/sign-in/first/callback?state=x&code=y');
    });
    expect(written).toHaveLength(10);
  });

  it('are not changes of the workspace', async () => {
    const { browser, workspace } = await sso.signedIn(sso.person());
    const written = await writtenBy(() => browser.request('POST', `/console/session/workspace/${workspace.id}`));
    expect(written).toEqual([]);
  });

  it('name identities that are unlinked', async () => {
    const { browser } = await sso.withPassword('link@example.com');
    const departed = await browser.request('POST', '/console/identities', { provider: 'second' });
    const url = new URL((departed.body as { url: string }).url);
    const written = await writtenBy(async () => {
      await browser.arrive('second', url, { code: sso.second.grant(url, sso.person()) });
      const [identity] = await identitiesOf(browser);
      await browser.request('DELETE', `/console/identities/${identity!.id}`);
    });
    expect(written.map(({ action }) => action)).toEqual(['identity.link', 'identity.unlink']);
  });
});

describe('its list', () => {
  it('has pages in both directions and the filters of the list of a workspace', async () => {
    for (let n = 0; n < 5; n += 1) await signIn(`nobody-${n}@example.com`, 'wrong');
    const all = await entries({ action: 'user.fail_sign_in' });
    const first = (await app.operator().get(`${PATH}?action=user.fail_sign_in&limit=2`)) as Page<Entry>;
    expect(first.data).toEqual(all.slice(0, 2));
    const cursor = encodeURIComponent(first.next_cursor!);
    const second = (await app
      .operator()
      .get(`${PATH}?action=user.fail_sign_in&limit=2&cursor=${cursor}`)) as Page<Entry>;
    expect(second.data).toEqual(all.slice(2, 4));
    const [{ request_id: requestId }] = all as [Entry];
    expect(await entries({ request_id: requestId })).toEqual([all[0]]);
    expect(await entries({ entity_type: 'scim_token' })).toSatisfy((found: Entry[]) =>
      found.every(({ action }) => action.startsWith('scim_token.')),
    );
    expect(await entries({ entity_id: 'unknown', limit: '1' })).toHaveLength(1);
    expect(await entries({ source: 'api' })).toEqual([]);
    expect(await entries({ key_id: '1' })).toEqual([]);
    expect(await entries({ occurred_after: '2100-01-01' })).toEqual([]);
    expect(await entries({ entity_id: 'x\0y' })).toEqual([]);
  });

  it.each([
    ['limit=0', 422],
    ['limit=x', 422],
    ['user_id=99999999999', 422],
    ['cursor=x', 400],
    ['source=nobody', 422],
    ['unknown=1', 422],
    ['entity_id=%ED%A0%80', 200],
  ])('answers ?%s with %i', async (query, status) => {
    await app.operator().get(`${PATH}?${query}`, status);
  });

  it('is for the operator alone, and no workspace has its entries', async () => {
    const { admin, id } = await newWorkspace(app);
    for (const path of ['', '/verification', '/download']) {
      await admin.get(`${PATH}${path}`, 401);
      await app.clientWith(null).get(`${PATH}${path}`, 401);
    }
    const own = (await admin.get(`${ADMIN}/workspaces/${id}/audit-entries?limit=100`)) as Page<Entry>;
    expect(new Set(own.data.map(({ workspace_id }) => workspace_id))).toEqual(new Set([id]));
    await app.operator().get(`${ADMIN}/workspaces/0/audit-entries`, 422);
  });
});
