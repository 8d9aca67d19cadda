import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlParameters } from '../../src/platform/filters/sql-parameters.js';
import { parseFilter } from '../../src/scim/protocol/filter.js';
import { toCondition } from '../../src/scim/protocol/filter-sql.js';
import { USER_SOURCE } from '../../src/scim/users/user-source.js';
import type { Client } from '../support/client.js';
import { deepIt } from '../support/depth.js';
import { every } from '../support/every.js';
import {
  found,
  groupBody,
  GROUPS,
  type Page,
  provider,
  type Resource,
  sent,
  userBody,
  USERS,
} from '../support/scim.js';
import { TestApp } from '../support/test-app.js';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

let app: TestApp;
let idp: Client;
let created: Record<string, Resource>;
let group: Resource;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  idp = await provider(app);
  created = {};
  for (const [name, more] of Object.entries(PEOPLE)) {
    created[name] = (await idp.post(USERS, sent(userBody(`${name}@Example.com`, more)), 201)) as Resource;
  }
  const members = [{ value: created.ada!.id }, { value: created.bob!.id }];
  group = (await idp.post(GROUPS, sent(groupBody('Staff', { members, externalId: 'G-1' })), 201)) as Resource;
});
afterAll(() => app.stop());

const PEOPLE = {
  ada: {
    externalId: 'Ext-A',
    displayName: 'Ada "Countess" Lovelace',
    title: 'Engineer',
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [
      { value: 'ada@work.example', type: 'work', primary: true },
      { value: 'ada@home.example', type: 'home' },
    ],
    [ENTERPRISE]: { department: 'Engines and more', manager: { value: '77' } },
  },
  bob: {
    externalId: 'ext-a',
    displayName: 'Bob',
    title: 'engineer (senior)',
    emails: [{ value: 'bob@home.example', type: 'home', primary: true }],
    active: false,
  },
  eve: { displayName: 'Eve 50%_\\', userType: 'x) or (y' },
};

async function names(filter: string): Promise<string> {
  const users = await found(idp, USERS, filter);
  return users.map(({ userName }) => String(userName).split('@')[0]).join(' ');
}

const CASES: [filter: string, expected: string][] = [
  // The operators, of texts without letter case.
  ['userName eq "ADA@example.com"', 'ada'],
  ['userName Eq "bob@example.com"', 'bob'],
  ['username ne "ada@example.com"', 'bob eve'],
  ['userName co "B@EX"', 'bob'],
  ['userName sw "AD"', 'ada'],
  ['userName ew ".COM"', 'ada bob eve'],
  ['userName gt "ada@example.com"', 'bob eve'],
  ['userName ge "ada@example.com"', 'ada bob eve'],
  ['userName lt "bob@example.com"', 'ada'],
  ['userName le "bob@example.com"', 'ada bob'],
  ['userName pr', 'ada bob eve'],
  ['title eq "ENGINEER"', 'ada'],
  ['title sw "engineer"', 'ada bob'],
  ['title ne "engineer"', 'bob eve'],
  ['title pr', 'ada bob'],
  ['not (title pr)', 'eve'],
  ['title eq null', 'eve'],
  ['title ne null', 'ada bob'],
  ['title gt "engineer"', 'bob'],
  // Letter case counts.
  ['externalId eq "Ext-A"', 'ada'],
  ['externalId eq "ext-a"', 'bob'],
  ['externalId co "xt-"', 'ada bob'],
  ['externalId ne "ext-a"', 'ada eve'],
  // Booleans, also quoted ones.
  ['active eq true', 'ada eve'],
  ['active eq "False"', 'bob'],
  ['active ne true', 'bob'],
  ['active pr', 'ada bob eve'],
  // Times and other common attributes.
  ['meta.created gt "2020-01-01T00:00:00Z"', 'ada bob eve'],
  ['meta.lastModified lt "2020-01-01"', ''],
  ['meta.lastModified ge "0000-01-01T00:00:00Z"', 'ada bob eve'],
  ['meta.resourceType eq "User"', 'ada bob eve'],
  ['id eq "nobody"', ''],
  ['id eq "99999999999999999999"', ''],
  ['id pr', 'ada bob eve'],
  // Complex attributes and extensions.
  ['name.familyName co "LOVE"', 'ada'],
  ['name pr', 'ada'],
  [`${CORE}:userName eq "eve@example.com"`, 'eve'],
  [`${CORE}:name.givenName eq "ada"`, 'ada'],
  [`${ENTERPRISE}:department sw "engines"`, 'ada'],
  [`${ENTERPRISE.toUpperCase()}:DEPARTMENT pr`, 'ada'],
  [`${ENTERPRISE}:manager.value eq "77"`, 'ada'],
  [`${ENTERPRISE}:manager eq "77"`, 'ada'],
  [`${ENTERPRISE} pr`, 'ada'],
  // Lists.
  ['emails.value co "@home"', 'ada bob'],
  ['emails co "@work"', 'ada'],
  ['emails pr', 'ada bob'],
  ['not (emails pr)', 'eve'],
  ['emails.type ne "work"', 'bob eve'],
  ['emails[type eq "work" and value co "@work"]', 'ada'],
  ['emails[type eq "work" and value co "@home"]', ''],
  ['emails[type eq "home" and primary eq true]', 'bob'],
  ['emails[not (type eq "work")]', 'ada bob'],
  ['emails[type eq "work" or primary eq true]', 'ada bob'],
  ['emails[primary pr]', 'ada bob'],
  ['emails[type eq "work"].value ew "work.example"', 'ada'],
  ['groups.display eq "staff"', 'ada bob'],
  ['groups pr and active eq true', 'ada'],
  // Logic: "and" binds closer than "or".
  ['userName sw "ada" or userName sw "bob" and active eq true', 'ada'],
  ['(userName sw "ada" or userName sw "bob") and active eq true', 'ada'],
  ['(userName sw "ada" or userName sw "bob") AND active eq false', 'bob'],
  ['not (userName sw "ada" and active eq true)', 'bob eve'],
  ['not (userName sw "ada" or active eq false)', 'eve'],
  ['not (not (userName sw "ada"))', 'ada'],
  // Texts are texts.
  ['displayName eq "ADA \\"countess\\" lovelace"', 'ada'],
  ['displayName eq "\\u0042ob"', 'bob'],
  ['displayName ew "50%_\\\\"', 'eve'],
  ['displayName co "%"', 'eve'],
  ['userType eq "x) or (y"', 'eve'],
  [`${ENTERPRISE}:department eq "engines and more"`, 'ada'],
  [`not (${ENTERPRISE}:department eq "engines and more")`, 'bob eve'],
  [`displayName eq "' OR 1=1 --"`, ''],
  ['displayName co "\\u0000"', ''],
  ['displayName co ""', 'ada bob eve'],
];

const deep = (depth: number) => `${'('.repeat(depth)}title pr${')'.repeat(depth)}`;

const REFUSED = [
  'userName',
  'userName eq',
  'userName eq ada',
  'userName zz "a"',
  'userName eq "a" or',
  'or',
  '(userName eq "a"',
  'userName eq "a")',
  'userName eq "a" userName eq "b"',
  'nothing eq "a"',
  'name.nothing eq "a"',
  'name eq "a"',
  'emails[nothing eq "a"]',
  'emails[type eq "work"',
  'emails[emails[type eq "a"]]',
  'userName[value eq "a"]',
  'password eq "a"',
  'meta.location eq "a"',
  'meta.version pr',
  'active gt true',
  'active eq "perhaps"',
  'active co "t"',
  'userName eq 5',
  'userName gt null',
  'meta.created eq "yesterday"',
  'meta.created co "2026"',
  'meta.created gt "9999-99-99T00:00:00Z"',
  '"userName" eq "a"',
  'userName eq "a',
  'userName eq "\\x"',
  "userName eq 'a'",
  '__proto__ eq "a"',
  'constructor.name eq "a"',
  'userName\'); DROP TABLE users; -- eq "a"',
  `userName eq "${'x'.repeat(4000)}"`,
  deep(21),
  Array.from({ length: 101 }, () => 'title pr').join(' or '),
  'not title pr',
];

describe('a filter of users', () => {
  it('finds those who fulfil it', async () => {
    await every(CASES, async ([filter, expected]) => {
      expect([filter, await names(filter)]).toEqual([filter, expected]);
    });
  });

  it('is refused with invalidFilter when it cannot be one', async () => {
    await every(REFUSED, async (filter) => {
      const { status, body } = await idp.request('GET', `${USERS}?filter=${encodeURIComponent(filter)}`);
      expect([filter, status, body]).toEqual([filter, 400, expect.objectContaining({ scimType: 'invalidFilter' })]);
    });
  });

  it('nests as deep and is as long as it may be', async () => {
    expect(await names(deep(20))).toBe('ada bob');
    expect(await names(Array.from({ length: 100 }, () => 'title pr').join(' and '))).toBe('ada bob');
  });
});

describe('a filter of groups', () => {
  it.each([
    ['displayName eq "STAFF"', 1],
    ['externalId eq "G-1"', 1],
    ['externalId eq "g-1"', 0],
    ['members pr', 1],
    ['meta.resourceType eq "Group"', 1],
    ['id eq "x"', 0],
  ])('%s finds %i', async (filter, count) => {
    expect(await found(idp, GROUPS, filter)).toHaveLength(count);
  });

  it('is about ids and members', async () => {
    const [ada, eve] = [created.ada!.id, created.eve!.id];
    expect(await found(idp, GROUPS, `id eq "${group.id.toUpperCase()}"`)).toHaveLength(1);
    expect(await found(idp, GROUPS, `members.value eq "${ada}"`)).toHaveLength(1);
    expect(await found(idp, GROUPS, `members[value eq "${ada}" and type eq "User"]`)).toHaveLength(1);
    expect(await found(idp, GROUPS, `members.value eq "${eve}"`)).toHaveLength(0);
    expect(await found(idp, GROUPS, 'members.display sw "ada"')).toHaveLength(1);
    await idp.get(`${GROUPS}?filter=userName%20pr`, 400);
    await idp.get(`${GROUPS}?filter=members.%24ref%20pr`, 400);
  });
});

describe('a list', () => {
  const page = async (query: string) => (await idp.get(`${USERS}?${query}`)) as Page;
  const shown = ({ Resources }: Page) => Resources.map(({ userName }) => String(userName).split('@')[0]);

  it('has pages that begin at 1, and takes numbers out of range for the nearest in it', async () => {
    expect(shown(await page('count=2'))).toEqual(['ada', 'bob']);
    expect(await page('startIndex=3&count=2')).toMatchObject({ totalResults: 3, startIndex: 3, itemsPerPage: 1 });
    expect(await page('startIndex=-5')).toMatchObject({ startIndex: 1, itemsPerPage: 3 });
    expect(await page('count=-1')).toMatchObject({ totalResults: 3, itemsPerPage: 0, Resources: [] });
    expect(await page('count=0&startIndex=2')).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 0 });
    expect(await page('startIndex=9007199254740991')).toMatchObject({ totalResults: 3, Resources: [] });
    expect(await page('count=100000')).toMatchObject({ itemsPerPage: 3 });
  });

  it('is sorted', async () => {
    expect(shown(await page('sortBy=userName&sortOrder=descending'))).toEqual(['eve', 'bob', 'ada']);
    expect(shown(await page('sortBy=displayName'))).toEqual(['ada', 'bob', 'eve']);
    expect(shown(await page('sortBy=ID&sortOrder=descending'))).toEqual(['eve', 'bob', 'ada']);
    for (const sortBy of ['title', 'nothing', 'emails.value', '__proto__', "id'; --"]) {
      const url = `${USERS}?sortBy=${encodeURIComponent(sortBy)}`;
      expect(await idp.get(url, 400)).toMatchObject({ scimType: 'invalidPath' });
    }
  });

  it('shows the attributes that were asked for', async () => {
    const first = async (query: string) => (await page(`count=1&${query}`)).Resources[0]!;
    const id = created.ada!.id;
    const schemas = created.ada!.schemas;
    expect(await first('attributes=userName,name.givenName')).toEqual({
      schemas,
      id,
      userName: 'ada@Example.com',
      name: { givenName: 'Ada' },
    });
    expect(await first('attributes=EMAILS.value,nothing')).toEqual({
      schemas,
      id,
      emails: [{ value: 'ada@work.example' }, { value: 'ada@home.example' }],
    });
    expect(await first(`attributes=${ENTERPRISE}:manager.value`)).toEqual({
      schemas,
      id,
      [ENTERPRISE]: { manager: { value: '77' } },
    });
    const without = await first('excludedAttributes=id,name,emails.type,groups,meta');
    expect(Object.keys(without)).toEqual(expect.arrayContaining(['id', 'schemas', 'userName']));
    for (const name of ['name', 'groups', 'meta']) expect(without).not.toHaveProperty(name);
    expect(without.emails).toEqual([{ value: 'ada@work.example', primary: true }, { value: 'ada@home.example' }]);
  });

  it.each([
    'count=x',
    'startIndex=1.5',
    'count=1e300',
    'sortOrder=up',
    'filter=title%20pr&filter=title%20pr',
    'attributes=a&attributes=b',
  ])('is refused with 400 for %s', async (query) => {
    expect(await idp.get(`${USERS}?${query}`, 400)).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });
});

describe('50,000 users', () => {
  const COUNT = 50_000;
  const sizes = { users: COUNT, members: 20_000 };

  async function fill({ users, members }: typeof sizes): Promise<string> {
    await app.sql(
      `INSERT INTO users (email, email_key, name, external_id, scim)
       SELECT 'u' || n || '@big.example', 'u' || n || '@big.example', 'User ' || n, 'big-' || n,
              jsonb_build_object('emails', jsonb_build_array(jsonb_build_object('value', 'u' || n || '@big.example', 'type', 'work')))
         FROM generate_series(1, $1::int) n`,
      [users],
    );
    const big = (await idp.post(GROUPS, sent(groupBody('Big')), 201)) as Resource;
    await app.sql(
      `INSERT INTO user_groups (user_id, source, group_name)
       SELECT id, 'scim', 'Big' FROM users WHERE external_id LIKE 'big-%' ORDER BY id LIMIT $1`,
      [members],
    );
    await app.sql('ANALYZE users, user_groups');
    return big.id;
  }

  /** The plan of a list with a filter. */
  async function planOf(filter: string): Promise<string> {
    const parameters = new SqlParameters();
    const condition = toCondition(parseFilter(filter), USER_SOURCE, parameters);
    const plan = await app.sql(`EXPLAIN SELECT * FROM users u WHERE ${condition}`, parameters.values);
    return JSON.stringify(plan);
  }

  deepIt('are found by indexes, paged, and put into a group by the thousand', async () => {
    const id = await fill(sizes);
    expect(await found(idp, USERS, 'userName eq "U49999@big.example"')).toHaveLength(1);
    expect(await found(idp, USERS, 'externalId eq "big-7"')).toHaveLength(1);
    const page = (await idp.get(`${USERS}?startIndex=49001&count=200`)) as Page;
    expect(page).toMatchObject({ totalResults: COUNT + 3, itemsPerPage: 200 });
    expect(await planOf('userName eq "U7@big.example"')).toMatch(/users_email_(key|prefix)/);
    expect(await planOf('externalId eq "big-7"')).toContain('users_external_id_idx');
    expect(await planOf('id eq "7"')).toContain('users_pkey');
    const all = (await app.sql(`SELECT id FROM users WHERE external_id LIKE 'big-%' ORDER BY id`)) as { id: number }[];
    const value = all.slice(20_000, 25_000).map((each) => ({ value: String(each.id) }));
    const body = { Operations: [{ op: 'add', path: 'members', value }] };
    await idp.patch(`${GROUPS}/${id}`, sent(body), 204);
    const read = (await idp.get(`${GROUPS}/${id}`)) as { members: unknown[] };
    expect(read.members).toHaveLength(25_000);
    await idp.patch(`${GROUPS}/${id}`, sent({ Operations: [{ op: 'replace', path: 'members', value }] }), 204);
    expect(((await idp.get(`${GROUPS}/${id}`)) as { members: unknown[] }).members).toHaveLength(5000);
  });
});
