import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeGroup, setGroups } from '../../src/administration/index.js';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';

const ADMIN = '/api/admin/v1';
const RULES = `${ADMIN}/group-rules`;
const SOURCES = ['oidc:first', 'scim'];
const GROUPS = ['engineering', 'Engineering', 'support', 'on call, "at" night'];
const ROLE_SETS = [['viewer'], ['member', 'publisher'], ['admin'], ['contributor', 'approver']];

let app: TestApp;
let operator: Client;
let db: DataSource;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  operator = app.operator();
  db = app.app.get(DataSource);
});
afterAll(() => app.stop());

interface Workspace {
  id: number;
  path: string;
  admin: Client;
}

interface Member {
  user_id: number;
  key_id: number;
  roles: string[];
  from_groups: boolean;
}

let made = 0;

async function newWorkspace(): Promise<Workspace> {
  const admin = await app.stranger();
  const { workspace } = (await admin.get('/api/public/v2/me')) as { workspace: { id: number } };
  return { id: workspace.id, path: `${ADMIN}/workspaces/${workspace.id}`, admin };
}

async function newUser(): Promise<number> {
  const email = `somebody-${++made}@example.com`;
  const added = await app.sql('INSERT INTO users (email, email_key) VALUES ($1, $1) RETURNING id', [email]);
  return (added as { id: number }[])[0]!.id;
}

const createRule = async (group: string, { id: workspace_id }: Workspace, roles: string[]) =>
  ((await operator.post(RULES, { group, workspace_id, roles }, 201)) as { group_rule: { id: number } }).group_rule.id;

async function membersOf({ path }: Workspace): Promise<Member[]> {
  return ((await operator.get(`${path}/members`)) as { members: Member[] }).members;
}

/** Roles by user. */
const rolesIn = async (workspace: Workspace) =>
  new Map((await membersOf(workspace)).map(({ user_id, roles }) => [user_id, roles.toSorted()]));

const say = (source: string, userId: number, groups: string[]) =>
  db.transaction((tx) => setGroups(tx, 'a request', { source, users: [{ userId, groups }] }));

describe('a group rule', () => {
  it('gives, changes and ends memberships of the users in its group, and says so in the audit log', async () => {
    const workspace = await newWorkspace();
    const user = await newUser();
    await say('scim', user, ['guild', 'unknown']);
    expect(await membersOf(workspace)).toEqual([]);
    const id = await createRule('guild', workspace, ['viewer', 'viewer']);
    expect(await membersOf(workspace)).toMatchObject([{ user_id: user, roles: ['viewer'], from_groups: true }]);
    const second = await createRule('others', workspace, ['publisher']);
    await say('oidc:first', user, ['others']);
    expect((await rolesIn(workspace)).get(user)).toEqual(['publisher', 'viewer']);
    await operator.patch(`${RULES}/${id}`, { roles: ['admin'] });
    expect((await rolesIn(workspace)).get(user)).toEqual(['admin', 'publisher']);
    await operator.delete(`${RULES}/${second}`);
    await say('scim', user, []);
    expect(await membersOf(workspace)).toEqual([]);
    const { data: entries } = (await workspace.admin.get(`${workspace.path}/audit-entries`)) as {
      data: { action: string; key_id: number | null }[];
    };
    expect(entries.map(({ action }) => action).toReversed()).toEqual([
      'workspace.create',
      'api_key.create',
      'group_rule.create',
      'member.join',
      'group_rule.create',
      'member.set_roles',
      'group_rule.set_roles',
      'member.set_roles',
      'group_rule.delete',
      'member.set_roles',
      'member.remove',
    ]);
  });

  it('leaves memberships alone that were given by hand', async () => {
    const workspace = await newWorkspace();
    const user = await newUser();
    await app.sql(`INSERT INTO api_keys (workspace_id, user_id, kind, role) VALUES ($1, $2, 'member', 'viewer')`, [
      workspace.id,
      user,
    ]);
    await createRule('by hand', workspace, ['admin']);
    await say('scim', user, ['by hand']);
    await say('scim', user, []);
    expect(await membersOf(workspace)).toMatchObject([{ roles: ['viewer'], from_groups: false }]);
  });

  it('alone changes the memberships that it gives', async () => {
    const workspace = await newWorkspace();
    const user = await newUser();
    await createRule('fixed', workspace, ['viewer']);
    await say('scim', user, ['fixed']);
    const member = `${workspace.path}/members/${user}`;
    const refused = { error: 'member_from_groups' };
    for (const client of [workspace.admin, operator]) {
      expect(await client.patch(member, { roles: ['admin'] }, 409)).toMatchObject(refused);
      expect(await client.delete(member, 409)).toMatchObject(refused);
    }
  });

  it('is one for each group and workspace', async () => {
    const workspace = await newWorkspace();
    const rule = { group: 'once', workspace_id: workspace.id, roles: ['viewer'] };
    const answers = await Promise.all([1, 2, 3].map(() => operator.request('POST', RULES, rule)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });

  it.each([
    [{}, 422],
    [{ group: '', workspace_id: 1, roles: ['viewer'] }, 422],
    [{ group: 'x'.repeat(256), workspace_id: 1, roles: ['viewer'] }, 422],
    [{ group: { deep: [] }, workspace_id: 1, roles: ['viewer'] }, 422],
    [{ group: 'a', workspace_id: null, roles: ['viewer'] }, 422],
    [{ group: 'a', workspace_id: 1e300, roles: ['viewer'] }, 422],
    [{ group: 'a', workspace_id: 999_999, roles: ['viewer'] }, 404],
    [{ group: 'a', workspace_id: 1, roles: [] }, 422],
    [{ group: 'a', workspace_id: 1, roles: ['owner'] }, 422],
  ])('is refused: %j', async (body, status) => {
    await operator.post(RULES, body, status);
  });

  it("is the operator's", async () => {
    const { admin, id } = await newWorkspace();
    await admin.get(RULES, 401);
    await admin.post(RULES, { group: 'a', workspace_id: id, roles: ['admin'] }, 401);
    await operator.patch(`${RULES}/999999`, { roles: ['admin'] }, 404);
    await operator.delete(`${RULES}/999999`, 404);
  });
});

describe('memberships', () => {
  it('follow from groups and rules, after changes in any order and at the same time', async () => {
    const workspaces = [await newWorkspace(), await newWorkspace()];
    const users = await Promise.all([1, 2, 3].map(newUser));
    const rules = new Map<string, { id: number; roles: string[] }>();
    const held = new Map<string, Set<string>>();
    const keyOf = (source: string, user: number) => `${source} ${user}`;
    const heldBy = (source: string, user: number) => held.get(keyOf(source, user)) ?? new Set<string>();
    const hold = (source: string, user: number, groups: Iterable<string>) =>
      held.set(keyOf(source, user), new Set(groups));
    const change = (groupChange: Parameters<typeof changeGroup>[2]) =>
      db.transaction((tx) => changeGroup(tx, 'a request', groupChange));

    const setRule = async (group: string, where: number, roles: string[]) => {
      const key = `${group} ${where}`;
      const old = rules.get(key);
      if (old) await operator.patch(`${RULES}/${old.id}`, { roles });
      rules.set(key, { id: old?.id ?? (await createRule(`${made} ${group}`, workspaces[where]!, roles)), roles });
    };
    const dropRule = async (group: string, where: number) => {
      const old = rules.get(`${group} ${where}`);
      if (!old) return;
      rules.delete(`${group} ${where}`);
      await operator.delete(`${RULES}/${old.id}`);
    };
    made += 1;
    const named = (group: string) => `${made} ${group}`;

    const index = fc.nat(users.length - 1).map((at) => users[at]!);
    const source = fc.constantFrom(...SOURCES);
    const group = fc.constantFrom(...GROUPS);
    const where = fc.nat(workspaces.length - 1);
    const step = fc.oneof(
      fc.tuple(fc.constant('set' as const), source, index, fc.uniqueArray(group)),
      fc.tuple(fc.constant('add' as const), source, group, fc.uniqueArray(index, { minLength: 1 })),
      fc.tuple(fc.constant('remove' as const), source, group, fc.uniqueArray(index, { minLength: 1 })),
      fc.tuple(fc.constant('rename' as const), source, group, group),
      fc.tuple(fc.constant('rule' as const), group, where, fc.constantFrom(...ROLE_SETS)),
      fc.tuple(fc.constant('drop' as const), group, where),
    );
    type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

    const run = async (each: Step): Promise<void> => {
      if (each[0] === 'rule') return setRule(each[1], each[2], each[3]);
      if (each[0] === 'drop') return dropRule(each[1], each[2]);
      if (each[0] === 'set') {
        hold(each[1], each[2], each[3]);
        return say(each[1], each[2], each[3].map(named));
      }
      if (each[0] === 'rename') {
        const [, from, old, to] = each;
        if (old === to || users.some((user) => heldBy(from, user).has(to))) return;
        for (const user of users.filter((one) => heldBy(from, one).has(old))) {
          hold(
            from,
            user,
            [...heldBy(from, user)].map((name) => (name === old ? to : name)),
          );
        }
        return change({ source: from, group: named(old), to: named(to) });
      }
      const [kind, from, name, given] = each;
      for (const user of given) {
        const next = heldBy(from, user);
        if (kind === 'add') next.add(name);
        else next.delete(name);
        hold(from, user, next);
      }
      return change({ source: from, group: named(name), [kind === 'add' ? 'added' : 'removed']: given });
    };

    const expected = (workspace: number, user: number): string[] | undefined => {
      const groups = new Set(SOURCES.flatMap((each) => [...heldBy(each, user)]));
      const roles = [...groups].flatMap((each) => rules.get(`${each} ${workspace}`)?.roles ?? []);
      return roles.length > 0 ? [...new Set(roles)].toSorted() : undefined;
    };
    const check = async () => {
      for (const [at, workspace] of workspaces.entries()) {
        const found = await rolesIn(workspace);
        expect(users.map((user) => found.get(user))).toEqual(users.map((user) => expected(at, user)));
      }
    };

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        for (const each of steps) {
          await run(each);
          await check();
        }
      }),
      { numRuns: 15 },
    );
  });

  it('follow when users sign in and rules change at the same time', async () => {
    const workspace = await newWorkspace();
    const users = await Promise.all(Array.from({ length: 8 }, newUser));
    await Promise.all([
      ...users.map((user) => say('scim', user, ['crowd'])),
      createRule('crowd', workspace, ['viewer']),
      ...users.map((user) => say('oidc:first', user, ['crowd'])),
    ]);
    expect((await membersOf(workspace)).map(({ user_id }) => user_id).toSorted()).toEqual(users.toSorted());
  });
});
