import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  groupBody,
  GROUPS,
  type Json,
  patchBody,
  provider,
  type Resource,
  sent,
  userBody,
  USERS,
} from '../support/scim.js';
import { TestApp } from '../support/test-app.js';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

let app: TestApp;
let idp: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  idp = await provider(app);
});
afterAll(() => app.stop());

let made = 0;

const WORK = { value: 'w@example.com', type: 'work', primary: true };
const HOME = { value: 'h@example.com', type: 'home' };
const BASE = {
  displayName: 'Sam',
  title: 'Tester',
  name: { givenName: 'Sam', familyName: 'Lee' },
  emails: [WORK, HOME],
  [ENTERPRISE]: { department: 'A', manager: { value: '1' } },
};

async function newUser(more: object = BASE): Promise<Resource> {
  return (await idp.post(USERS, sent(userBody(`patched-${++made}@example.com`, more)), 201)) as Resource;
}

const op = (name: string, path: string | null, value?: unknown) => ({
  op: name,
  ...(path !== null && { path }),
  value,
});
const GONE = undefined;

/** Attributes after the operations. Others stay unchanged. */
const CHANGES: [title: string, operations: object[], expected: Json][] = [
  // add
  ['add without a path', [op('add', null, { title: 'B', nickName: 'S' })], { title: 'B', nickName: 'S' }],
  [
    'add to a complex attribute without a path',
    [op('add', null, { name: { middleName: 'M' } })],
    { name: { givenName: 'Sam', familyName: 'Lee', middleName: 'M' } },
  ],
  [
    'add to a list without a path',
    [op('add', null, { emails: [{ value: 'o@x' }] })],
    { emails: [WORK, HOME, { value: 'o@x' }] },
  ],
  ['add a simple attribute', [op('add', 'title', 'B')], { title: 'B' }],
  [
    'add a sub-attribute',
    [op('add', 'name.middleName', 'M')],
    { name: { givenName: 'Sam', familyName: 'Lee', middleName: 'M' } },
  ],
  [
    'add a list to a list',
    [op('add', 'emails', [{ value: 'o@x', type: 'other' }])],
    { emails: [WORK, HOME, { value: 'o@x', type: 'other' }] },
  ],
  ['add one object to a list', [op('add', 'emails', { value: 'o@x' })], { emails: [WORK, HOME, { value: 'o@x' }] }],
  ['add what is there', [op('add', 'emails', [HOME])], { emails: [WORK, HOME] }],
  [
    'add to what is there',
    [op('add', 'emails', [{ ...HOME, display: 'Home' }])],
    { emails: [WORK, { ...HOME, display: 'Home' }] },
  ],
  [
    'add a primary value',
    [op('add', 'emails', [{ value: 'o@x', primary: true }])],
    { emails: [{ ...WORK, primary: false }, HOME, { value: 'o@x', primary: true }] },
  ],
  [
    'add a sub-attribute of some items',
    [op('add', 'emails[type eq "home"].display', 'Home')],
    { emails: [WORK, { ...HOME, display: 'Home' }] },
  ],
  [
    'add an item by a filter',
    [op('add', 'emails[type eq "other"].value', 'o@x')],
    { emails: [WORK, HOME, { type: 'other', value: 'o@x' }] },
  ],
  [
    'add to items by a filter',
    [op('add', 'emails[type eq "home"]', { display: 'Home' })],
    { emails: [WORK, { ...HOME, display: 'Home' }] },
  ],
  [
    'add to a list that is not there',
    [op('add', 'ims', [{ value: 'sam', type: 'xmpp' }])],
    { ims: [{ value: 'sam', type: 'xmpp' }] },
  ],
  ['add nothing', [op('add', 'title', null), op('add', 'emails', [])], {}],
  // replace
  ['replace without a path', [op('replace', null, { title: 'B', active: false })], { title: 'B', active: false }],
  [
    'replace a list without a path',
    [op('replace', null, { emails: [{ value: 'o@x' }] })],
    { emails: [{ value: 'o@x' }] },
  ],
  ['replace a simple attribute', [op('replace', 'title', 'B')], { title: 'B' }],
  ['replace what is not there', [op('replace', 'nickName', 'S')], { nickName: 'S' }],
  [
    'replace sub-attributes, leaving others',
    [op('replace', 'name', { givenName: 'S' })],
    { name: { givenName: 'S', familyName: 'Lee' } },
  ],
  ['replace a sub-attribute', [op('replace', 'name.familyName', 'L')], { name: { givenName: 'Sam', familyName: 'L' } }],
  ['replace a list', [op('replace', 'emails', [{ value: 'o@x' }])], { emails: [{ value: 'o@x' }] }],
  ['replace a list by nothing', [op('replace', 'emails', [])], { emails: GONE }],
  ['replace by null', [op('replace', 'title', null)], { title: GONE }],
  [
    'replace items by a filter',
    [op('replace', 'emails[type eq "home"]', { value: 'n@x', type: 'home' })],
    { emails: [WORK, { value: 'n@x', type: 'home' }] },
  ],
  [
    'replace a sub-attribute of some items',
    [op('replace', 'emails[type eq "work"].value', 'n@x')],
    { emails: [{ ...WORK, value: 'n@x' }, HOME] },
  ],
  [
    'replace a sub-attribute of all items',
    [op('replace', 'emails.display', 'D')],
    {
      emails: [
        { ...WORK, display: 'D' },
        { ...HOME, display: 'D' },
      ],
    },
  ],
  [
    'make another item primary',
    [op('replace', 'emails[type eq "home"].primary', 'True')],
    {
      emails: [
        { ...WORK, primary: false },
        { ...HOME, primary: true },
      ],
    },
  ],
  [
    'replace by a longer filter',
    [op('replace', 'emails[type eq "home" and not (value co "zzz")].value', 'n@x')],
    { emails: [WORK, { ...HOME, value: 'n@x' }] },
  ],
  // remove
  ['remove an attribute', [op('remove', 'title')], { title: GONE }],
  ['remove what is not there', [op('remove', 'nickName'), op('remove', 'ims[type eq "xmpp"]')], {}],
  ['remove a sub-attribute', [op('remove', 'name.familyName')], { name: { givenName: 'Sam' } }],
  ['remove all sub-attributes', [op('remove', 'name.familyName'), op('remove', 'name.givenName')], { name: GONE }],
  ['remove a list', [op('remove', 'emails')], { emails: GONE }],
  ['remove items by a filter', [op('remove', 'emails[type eq "work"]')], { emails: [HOME] }],
  ['remove all items by a filter', [op('remove', 'emails[value pr]')], { emails: GONE }],
  [
    'remove a sub-attribute of items',
    [op('remove', 'emails[type eq "work"].primary')],
    { emails: [{ value: WORK.value, type: 'work' }, HOME] },
  ],
  ['remove items by value', [op('remove', 'emails', [{ value: HOME.value }])], { emails: [WORK] }],
  // Extensions.
  [
    'replace in an extension',
    [op('replace', `${ENTERPRISE}:department`, 'B')],
    { [ENTERPRISE]: { department: 'B', manager: { value: '1' } } },
  ],
  [
    'replace deeper in an extension',
    [op('replace', `${ENTERPRISE}:manager.value`, '2')],
    { [ENTERPRISE]: { department: 'A', manager: { value: '2' } } },
  ],
  [
    'replace an extension as an object',
    [op('replace', null, { [ENTERPRISE]: { division: 'D' } })],
    { [ENTERPRISE]: { department: 'A', division: 'D', manager: { value: '1' } } },
  ],
  [
    'add an extension by its URN',
    [op('add', ENTERPRISE, { costCenter: '7' })],
    { [ENTERPRISE]: { department: 'A', costCenter: '7', manager: { value: '1' } } },
  ],
  ['remove from an extension', [op('remove', `${ENTERPRISE}:manager`)], { [ENTERPRISE]: { department: 'A' } }],
  ['remove an extension', [op('remove', ENTERPRISE)], { [ENTERPRISE]: GONE }],
  [
    'name the core schema',
    [op('replace', `${CORE}:name.givenName`, 'S')],
    { name: { givenName: 'S', familyName: 'Lee' } },
  ],
  // The dialects of providers.
  ['capitalise', [op('Replace', 'TITLE', 'B'), op('ADD', 'nickname', 'S')], { title: 'B', nickName: 'S' }],
  ['quote booleans', [op('Replace', 'active', 'False')], { active: false }],
  [
    'dot keys',
    [op('replace', null, { 'name.givenName': 'S', 'emails[type eq "home"].value': 'n@x' })],
    { name: { givenName: 'S', familyName: 'Lee' }, emails: [WORK, { ...HOME, value: 'n@x' }] },
  ],
  [
    'key by URN',
    [op('add', null, { [`${ENTERPRISE}:department`]: 'B' })],
    { [ENTERPRISE]: { department: 'B', manager: { value: '1' } } },
  ],
  [
    'send a text for a complex value',
    [op('Add', `${ENTERPRISE}:manager`, '9')],
    { [ENTERPRISE]: { department: 'A', manager: { value: '9' } } },
  ],
  [
    'send what cannot be changed along',
    [op('replace', null, { id: '9', meta: {}, groups: [], schemas: [], nothing: 1, '__proto__.x': 1, title: 'B' })],
    { title: 'B' },
  ],
  ['send a password', [op('replace', 'password', 'hunter2hunter2')], {}],
  ['leave the path empty', [op('replace', '', { title: 'B' })], { title: 'B' }],
  // Several.
  ['are done in turn', [op('add', 'title', 'B'), op('remove', 'title'), op('add', 'title', 'C')], { title: 'C' }],
];

/** Operations that are rejected and change nothing. */
const REFUSALS: [title: string, operations: object[], scimType: string][] = [
  ['an unknown path', [op('replace', 'nothing', 'x')], 'invalidPath'],
  ['an unknown sub-attribute', [op('replace', 'name.nothing', 'x')], 'invalidPath'],
  ['an unknown extension', [op('add', 'urn:example:2.0:User:x', 'x')], 'invalidPath'],
  ['a path that is none', [op('replace', '[', 'x')], 'invalidPath'],
  ['a path with a broken filter', [op('replace', 'emails[type eq].value', 'x')], 'invalidPath'],
  ['a path with two filters', [op('replace', 'emails[type eq "a"][type eq "b"]', {})], 'invalidPath'],
  ['a filter of a single value', [op('replace', 'title[value eq "a"]', 'x')], 'invalidPath'],
  ['an unknown attribute in a filter', [op('replace', 'emails[nothing eq "a"].value', 'x')], 'invalidFilter'],
  ['a filter that selects nothing', [op('replace', 'emails[type eq "zzz"].value', 'x')], 'noTarget'],
  ['a removal without a path', [op('remove', null)], 'noTarget'],
  ['a read-only attribute', [op('replace', 'id', '9')], 'mutability'],
  ['a read-only list', [op('add', 'groups', [{ value: '1' }])], 'mutability'],
  ['a read-only sub-attribute', [op('replace', 'meta.version', 'x')], 'mutability'],
  ['a read-only attribute of an extension', [op('add', `${ENTERPRISE}:manager.displayName`, 'x')], 'mutability'],
  ['a removal of what is required', [op('remove', 'userName')], 'mutability'],
  ['a required attribute without a value', [op('replace', 'userName', null)], 'invalidValue'],
  ['a user name that is no address', [op('replace', 'userName', 'sam')], 'invalidValue'],
  ['a number for a text', [op('replace', 'title', 7)], 'invalidValue'],
  ['a list for a text', [op('replace', 'title', ['x'])], 'invalidValue'],
  ['an object for a text', [op('replace', 'title', {})], 'invalidValue'],
  ['a text for an object', [op('replace', 'name', 'x')], 'invalidValue'],
  ['perhaps', [op('replace', 'active', 'perhaps')], 'invalidValue'],
  ['a number for true', [op('replace', 'active', 1)], 'invalidValue'],
  ['two primary values', [op('replace', 'emails', [WORK, { ...HOME, primary: true }])], 'invalidValue'],
  ['a long display name', [op('replace', 'displayName', 'x'.repeat(256))], 'invalidValue'],
  ['a long document', [op('replace', 'title', 'x'.repeat(70_000))], 'invalidValue'],
  [
    'a long list',
    [
      op(
        'replace',
        'ims',
        Array.from({ length: 1001 }, () => ({ value: 'x' })),
      ),
    ],
    'invalidValue',
  ],
  ['an unknown operation', [op('move', 'title', 'x')], 'invalidSyntax'],
  ['no operation', [], 'invalidSyntax'],
  ['no object without a path', [op('replace', null, 'x')], 'invalidSyntax'],
  ['a path of another type', [{ op: 'replace', path: 7, value: 'x' }], 'invalidSyntax'],
  ['operations that are none', [null as unknown as object], 'invalidSyntax'],
  ['a mistake after a change', [op('replace', 'title', 'B'), op('replace', 'nothing', 'x')], 'invalidPath'],
];

const without = (resource: Json): Json => ({ ...resource, meta: null });

describe('a PATCH of a user', () => {
  it('changes attributes as the RFC says', async () => {
    await every(CHANGES, async ([title, operations, expected]) => {
      const user = await newUser();
      const changed = (await idp.patch(`${USERS}/${user.id}`, sent(patchBody(...operations)))) as Resource;
      const wanted = JSON.parse(JSON.stringify({ ...without(user), ...expected })) as Json;
      // The list of schemas follows the extensions.
      const shown = { ...without(changed), schemas: null };
      expect([title, shown]).toEqual([title, { ...wanted, schemas: null }]);
      expect([title, await idp.get(`${USERS}/${user.id}`)]).toEqual([title, changed]);
    });
  });

  it('is refused with its scimType, and then changes nothing', async () => {
    const user = await newUser();
    await every(REFUSALS, async ([title, operations, scimType]) => {
      const { status, body } = await idp.request('PATCH', `${USERS}/${user.id}`, sent(patchBody(...operations)));
      expect([title, status, body]).toEqual([title, 400, expect.objectContaining({ scimType, status: '400' })]);
      expect([title, await idp.get(`${USERS}/${user.id}`)]).toEqual([title, user]);
    });
  });

  it('to the address of another user is refused with 409, in any letter case', async () => {
    const [first, second] = [await newUser(), await newUser()];
    const change = patchBody(op('replace', 'userName', String(first.userName).toUpperCase()));
    expect(await idp.patch(`${USERS}/${second.id}`, sent(change), 409)).toMatchObject({ scimType: 'uniqueness' });
    const own = patchBody(op('replace', 'userName', String(second.userName).toUpperCase()));
    expect(await idp.patch(`${USERS}/${second.id}`, sent(own))).toMatchObject({
      userName: String(second.userName).toUpperCase(),
    });
  });

  it('that changes parts of a name updates a display name only if it was derived', async () => {
    const derived = await newUser({ name: { givenName: 'Sam', familyName: 'Lee' } });
    const change = sent(patchBody(op('replace', 'name.givenName', 'Alex')));
    expect(await idp.patch(`${USERS}/${derived.id}`, change)).toMatchObject({ displayName: 'Alex Lee' });
    const chosen = await newUser();
    expect(await idp.patch(`${USERS}/${chosen.id}`, change)).toMatchObject({ displayName: 'Sam' });
    const gone = sent(patchBody(op('remove', 'displayName')));
    expect(await idp.patch(`${USERS}/${chosen.id}`, gone)).toMatchObject({ displayName: 'Alex Lee' });
  });
});

describe('a PATCH of a group', () => {
  const newGroup = async (members: Resource[]) =>
    (await idp.post(
      GROUPS,
      sent(groupBody(`Patched ${++made}`, { members: members.map(({ id }) => ({ value: id })), externalId: 'e' })),
      201,
    )) as Resource;

  const after = async (group: Resource, ...operations: object[]) => {
    await idp.patch(`${GROUPS}/${group.id}`, sent(patchBody(...operations)), 204);
    const { members = [] } = (await idp.get(`${GROUPS}/${group.id}`)) as { members?: { value: string }[] };
    return members.map(({ value }) => value);
  };

  it('adds, removes and replaces members', async () => {
    const users = [await newUser({}), await newUser({}), await newUser({})];
    const [a, b, c] = users.map(({ id }) => id) as [string, string, string];
    const of = (...ids: string[]) => ids.map((value) => ({ value }));
    const group = await newGroup([users[0]!]);
    expect(await after(group, op('add', 'members', of(b)))).toEqual([a, b]);
    expect(await after(group, op('add', null, { members: of(b, c) }))).toEqual([a, b, c]);
    expect(await after(group, op('remove', `members[value eq "${b}"]`))).toEqual([a, c]);
    expect(await after(group, op('remove', `members[value eq "${b}"]`))).toEqual([a, c]);
    expect(await after(group, op('remove', `members[value eq "${a}" or value eq "${c}"]`))).toEqual([]);
    expect(await after(group, op('replace', 'members', of(a, b)))).toEqual([a, b]);
    expect(await after(group, op('remove', `members[display sw "patched" and value ne "${a}"]`))).toEqual([a]);
    expect(await after(group, op('replace', 'members', of(c)), op('add', 'members', of(b)))).toEqual([b, c]);
    expect(await after(group, op('add', 'members', of(a)), op('remove', `members[value eq "${a}"]`))).toEqual([b, c]);
    expect(await after(group, op('remove', 'members', of(b)), op('add', 'members', of(b)))).toEqual([b, c]);
    expect(await after(group, op('add', 'members', of('999999', 'no id', group.id)))).toEqual([b, c]);
    expect(await after(group, op('replace', 'members', null))).toEqual([]);
    expect(await after(group, op('add', 'members', of(a)), op('remove', 'members'))).toEqual([]);
    expect(await after(group, op('add', 'members', a))).toEqual([a]);
    expect(await after(group, op('replace', null, { members: of(b), displayName: 'Renamed' }))).toEqual([b]);
  });

  it('changes its name and its external id', async () => {
    const group = await newGroup([]);
    const other = await newGroup([]);
    const path = `${GROUPS}/${group.id}`;
    const change = op('replace', null, { displayName: `${String(group.displayName)}!`, externalId: 'f' });
    expect(await idp.patch(`${path}?attributes=displayName,externalId`, sent(patchBody(change)))).toEqual({
      schemas: group.schemas,
      id: group.id,
      displayName: `${String(group.displayName)}!`,
      externalId: 'f',
    });
    await idp.patch(path, sent(patchBody(op('remove', 'externalId'))), 204);
    expect(await idp.get(path)).not.toHaveProperty('externalId');
    const taken = sent(patchBody(op('replace', 'displayName', other.displayName)));
    expect(await idp.patch(path, taken, 409)).toMatchObject({ scimType: 'uniqueness' });
  });

  it.each<[string, object, string]>([
    ['a removal of its name', op('remove', 'displayName'), 'mutability'],
    ['a blank name', op('replace', 'displayName', ' '), 'invalidValue'],
    ['a long name', op('replace', 'displayName', 'x'.repeat(256)), 'invalidValue'],
    ['a group as a member', op('add', 'members', [{ value: '1', type: 'Group' }]), 'invalidValue'],
    ['a member without a value', op('add', 'members', [{ display: 'Sam' }]), 'invalidValue'],
    ['a number as a member', op('add', 'members', [7]), 'invalidValue'],
    ['the id of a member', op('replace', 'members[value eq "1"].value', '2'), 'mutability'],
    ['a member by a filter', op('replace', 'members[value eq "1"]', { value: '2' }), 'invalidPath'],
    ['an attribute of users', op('replace', 'userName', 'x'), 'invalidPath'],
  ])('is refused for %s', async (_, operation, scimType) => {
    const group = await newGroup([]);
    const answer = await idp.patch(`${GROUPS}/${group.id}`, sent(patchBody(operation)), 400);
    expect(answer).toMatchObject({ scimType });
  });
});
