import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import { groupBody, GROUPS, patchBody, provider, type Resource, sent, userBody, USERS } from '../support/scim.js';
import { ADMIN_TOKEN, TestApp } from '../support/test-app.js';

const TOKENS = '/api/admin/v1/scim-tokens';
const SCIM = '/scim/v2';

let app: TestApp;
let idp: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false, env: { WRONG_KEYS_PER_MINUTE: '20' } });
  idp = await provider(app);
});
afterAll(() => app.stop());

let made = 0;
const newUser = async (more: object = {}) =>
  (await idp.post(USERS, sent(userBody(`user-${++made}@example.com`, more)), 201)) as Resource;
const newGroup = async (more: object = {}) =>
  (await idp.post(GROUPS, sent(groupBody(`Group ${++made}`, more)), 201)) as Resource;

const withToken = (secret: string) => app.clientWith(null).with({ authorization: `Bearer ${secret}` });

describe('a SCIM token', () => {
  it('is shown once, listed without its text, and revoked at once', async () => {
    const operator = app.operator();
    const issued = (await operator.post(TOKENS, { name: 'Provider A' }, 201)) as {
      scim_token: { id: number; last_4: string };
      secret: string;
    };
    expect(issued.secret).toMatch(/^scim_[\w-]{43}$/);
    const client = withToken(issued.secret);
    await client.get(USERS);
    const listed = (await operator.get(TOKENS)) as { scim_tokens: object[] };
    expect(listed.scim_tokens.at(-1)).toMatchObject({
      name: 'Provider A',
      last_4: issued.secret.slice(-4),
      last_used_at: expect.any(String),
    });
    expect(JSON.stringify(listed)).not.toContain(issued.secret.slice(5));
    const stored = JSON.stringify(await app.sql('SELECT * FROM scim_tokens'));
    expect(stored).not.toContain(issued.secret.slice(5));
    await operator.delete(`${TOKENS}/${issued.scim_token.id}`);
    await client.get(USERS, 401);
    await operator.delete(`${TOKENS}/${issued.scim_token.id}`, 404);
  });

  it.each([[{}], [{ name: null }], [{ name: '' }], [{ name: 'x'.repeat(256) }], [{ name: 'x', roles: [] }]])(
    'is not created by %j',
    async (body) => {
      await app.operator().post(TOKENS, body, 422);
    },
  );

  it('opens nothing but the routes of SCIM', async () => {
    for (const path of ['/api/public/v2/me', '/api/admin/v1/users', TOKENS]) await idp.get(path, 401);
  });

  it('is the only credential of these routes', async () => {
    const { secret } = (await app.operator().post(TOKENS, { name: 'x' }, 201)) as { secret: string };
    const strangers: Record<string, string>[] = [
      {},
      { 'x-api-key': app.apiKey },
      { authorization: `Bearer ${app.apiKey}` },
      { authorization: `Bearer ${ADMIN_TOKEN}` },
      { authorization: `Bearer ${secret.slice(0, -1)}` },
      { authorization: `Bearer ${secret} x` },
      { authorization: `Basic ${secret}` },
      { authorization: 'Bearer scim_' },
    ];
    for (const headers of strangers) {
      const client = app.clientWith(null).with(headers);
      const answers = [await client.request('GET', USERS), await client.request('POST', USERS, userBody('x@y.z'))];
      for (const { status, body, headers: got } of answers) {
        expect([headers, status, body]).toEqual([headers, 401, expect.objectContaining({ status: '401' })]);
        expect(String(got['content-type'])).toMatch(/^application\/scim\+json/);
      }
    }
    await app
      .clientWith(null)
      .with({ authorization: `bearer ${secret}`, 'x-api-key': 'nonsense' })
      .get(USERS);
  });

  it('is guessed a few times a minute from one address', async () => {
    const { secret } = (await app.operator().post(TOKENS, { name: 'x' }, 201)) as { secret: string };
    const read = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await app.app.inject({ url: USERS, remoteAddress: '192.0.2.7', headers })).statusCode;
    };
    let status = 401;
    for (let tries = 0; tries < 40 && status === 401; tries++) status = await read(`scim_${'w'.repeat(43)}`);
    expect(status).toBe(429);
    // The right token is never refused for it.
    expect(await read(secret)).toBe(200);
  });
});

describe('a user', () => {
  it('is read as it was written', async () => {
    const all = {
      externalId: 'x-1',
      displayName: 'Barbara',
      name: {
        formatted: 'Ms. Barbara J Jensen III',
        familyName: 'Jensen',
        givenName: 'Barbara',
        middleName: 'Jane',
        honorificPrefix: 'Ms.',
        honorificSuffix: 'III',
      },
      nickName: 'Babs',
      profileUrl: 'https://login.example.com/bjensen',
      title: 'Tour Guide',
      userType: 'Employee',
      preferredLanguage: 'en-US',
      locale: 'en-US',
      timezone: 'America/Los_Angeles',
      active: true,
      emails: [
        { value: 'b@x', type: 'Business', primary: true },
        { value: 'p@x', type: 'home' },
      ],
      addresses: [
        { streetAddress: '100 Universal City Plaza', locality: 'Hollywood', type: 'work', formatted: 'A\nB' },
      ],
      phoneNumbers: [{ value: '555-555-5555', type: 'work' }],
      ims: [{ value: 'someaimhandle', type: 'aim' }],
      photos: [{ value: 'https://photos.example.com/p', type: 'photo' }],
      entitlements: [{ value: 'a' }],
      roles: [{ value: 'b', display: 'B' }],
      x509Certificates: [{ value: 'MIIDQzCCAqygAwIBAgICEAAwDQYJKoZIhvcNAQEFBQAwTjELMAkGA1UEBhMCVVMx' }],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
        employeeNumber: '701984',
        costCenter: '4130',
        organization: 'Universal Studios',
        division: 'Theme Park',
        department: 'Tour Operations',
        manager: { value: '26', $ref: '../Users/26' },
      },
    };
    const user = await newUser(all);
    expect(user).toMatchObject(all);
    expect(user.schemas).toHaveLength(2);
    const { meta, ...written } = user;
    const again = (await idp.put(`${USERS}/${user.id}`, sent(written))) as Resource;
    expect(again).toEqual(user);
    expect(meta).toMatchObject({ resourceType: 'User', location: expect.stringMatching(`/scim/v2/Users/${user.id}$`) });
  });

  it('loses what a PUT leaves out, and keeps nothing that is not in the schemas', async () => {
    const user = await newUser({
      title: 'T',
      externalId: 'e',
      nothing: { a: 1 },
      emails: [{ value: 'a@x', nothing: 1 }],
    });
    expect(user).not.toHaveProperty('nothing');
    expect(user.emails).toEqual([{ value: 'a@x' }]);
    const replaced = (await idp.put(`${USERS}/${user.id}`, sent(userBody(String(user.userName))))) as Resource;
    expect(Object.keys(replaced).sort()).toEqual(['active', 'id', 'meta', 'schemas', 'userName']);
  });

  it('has no password and is member of nothing', async () => {
    const user = await newUser({ password: 'correct horse battery' });
    const [row] = await app.sql('SELECT password, scim FROM users WHERE id = $1', [user.id]);
    expect(row).toEqual({ password: null, scim: null });
    const { users } = (await app.operator().get('/api/admin/v1/users')) as { users: { id: number }[] };
    expect(users.map(({ id }) => String(id))).toContain(user.id);
    const attempt = { email: user.userName, password: 'correct horse battery' };
    await app.clientWith(null).post('/console/sign-in', attempt, 401);
  });

  it('is made once by many who create it at the same time', async () => {
    const userName = `race-${++made}@example.com`;
    const bodies = [userName, userName.toUpperCase(), ` ${userName} `, userName, userName, userName];
    const answers = await Promise.all(bodies.map((name) => idp.request('POST', USERS, sent(userBody(name)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('follows when two change different attributes at the same time', async () => {
    const user = await newUser();
    const change = (path: string) =>
      idp.patch(`${USERS}/${user.id}`, sent(patchBody({ op: 'add', path, value: 'new' })));
    await Promise.all(['title', 'nickName', 'locale', 'timezone', 'userType'].map(change));
    const expected = { title: 'new', nickName: 'new', locale: 'new', timezone: 'new', userType: 'new' };
    expect(await idp.get(`${USERS}/${user.id}`)).toMatchObject(expected);
  });

  it('is renamed by the operator, too, which changes its version', async () => {
    const user = await newUser({ displayName: 'Old' });
    await app.operator().patch(`/api/admin/v1/users/${user.id}`, { name: 'New' });
    const read = (await idp.get(`${USERS}/${user.id}`)) as Resource;
    expect(read.displayName).toBe('New');
    expect(read.meta.version).not.toBe(user.meta.version);
    expect(read.meta.lastModified >= user.meta.lastModified).toBe(true);
  });
});

describe('a group', () => {
  it('has a name of its own, in its letter case', async () => {
    const group = await newGroup();
    const name = String(group.displayName);
    expect(await idp.post(GROUPS, sent(groupBody(name)), 409)).toMatchObject({ scimType: 'uniqueness' });
    await idp.post(GROUPS, sent(groupBody(name.toUpperCase())), 201);
    const answers = await Promise.all([1, 2, 3, 4].map(() => idp.request('POST', GROUPS, sent(groupBody(`${name}!`)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  it('keeps all members that several add at the same time', async () => {
    const users = [await newUser(), await newUser(), await newUser(), await newUser()];
    const group = await newGroup();
    const add = ({ id }: Resource) =>
      idp.patch(`${GROUPS}/${group.id}`, sent(patchBody({ op: 'add', path: 'members', value: [{ value: id }] })), 204);
    await Promise.all(users.map(add));
    const { members } = (await idp.get(`${GROUPS}/${group.id}`)) as { members: { value: string }[] };
    expect(members.map(({ value }) => value).sort()).toEqual(users.map(({ id }) => id).sort());
  });
});

describe('a version', () => {
  it.each([
    ['user', () => newUser(), () => sent(patchBody({ op: 'add', path: 'title', value: 'T' })), 200],
    ['group', () => newGroup(), () => sent(patchBody({ op: 'add', path: 'externalId', value: 'E' })), 204],
  ] as const)('of a %s is asked for and required', async (_, make, change, changed) => {
    const resource = await make();
    const path = resource.meta.location.replace(/^https?:\/\/[^/]+/, '');
    const { version } = resource.meta;
    const { headers } = await idp.request('GET', path);
    expect(headers.etag).toBe(version);
    const known = await idp.with({ 'if-none-match': `"other", ${version}` }).request('GET', path);
    expect([known.status, known.body, known.headers.etag]).toEqual([304, '', version]);
    await idp.with({ 'if-none-match': '*' }).get(path, 304);
    await idp.with({ 'if-none-match': '"other"' }).get(path);
    await idp.with({ 'if-match': version }).patch(path, change(), changed);
    const outdated = idp.with({ 'if-match': version });
    expect(await outdated.patch(path, change(), 412)).toMatchObject({ status: '412' });
    await outdated.put(path, sent({ displayName: 'x', userName: 'x@example.com' }), 412);
    await outdated.delete(path, 412);
    expect((await idp.with({ 'if-none-match': version }).request('GET', path)).status).toBe(200);
    await idp.with({ 'if-match': '*' }).patch(path, change(), changed);
    const { etag } = (await idp.request('GET', path)).headers;
    await idp.with({ 'if-match': String(etag).replace('W/', '') }).delete(path, 204);
  });

  it('changes for a group when a member is deleted', async () => {
    const user = await newUser();
    const group = await newGroup({ members: [{ value: user.id }] });
    await app.operator().delete(`/api/admin/v1/users/${user.id}`);
    const read = (await idp.get(`${GROUPS}/${group.id}`)) as Resource;
    expect(read).not.toHaveProperty('members');
    expect(read.meta.version).not.toBe(group.meta.version);
  });

  it('changes for a user when its groups change', async () => {
    const user = await newUser();
    await newGroup({ members: [{ value: user.id }] });
    expect(((await idp.get(`${USERS}/${user.id}`)) as Resource).meta.version).not.toBe(user.meta.version);
  });
});

describe('the service', () => {
  it('says what it supports, and describes its schemas and resources', async () => {
    expect(await idp.get(`${SCIM}/ServiceProviderConfig`)).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      etag: { supported: true },
    });
    const schemas = (await idp.get(`${SCIM}/Schemas`)) as { Resources: Resource[] };
    expect(schemas.Resources.map(({ id }) => id.split(':').slice(-2).join(':'))).toEqual([
      '2.0:User',
      '2.0:User',
      '2.0:Group',
    ]);
    for (const { id } of schemas.Resources) expect(await idp.get(`${SCIM}/Schemas/${id}`)).toMatchObject({ id });
    const types = (await idp.get(`${SCIM}/ResourceTypes`)) as { Resources: Resource[] };
    for (const { id } of types.Resources) expect(await idp.get(`${SCIM}/ResourceTypes/${id}`)).toMatchObject({ id });
    await idp.get(`${SCIM}/Schemas/nothing`, 404);
    await idp.get(`${SCIM}/ResourceTypes/nothing`, 404);
  });

  it('takes and answers both types of JSON', async () => {
    for (const type of ['application/json', 'application/scim+json', 'application/scim+json; charset=utf-8']) {
      const body = sent(userBody(`user-${++made}@example.com`));
      await idp.with({ 'content-type': type }).post(USERS, body, 201);
    }
    const typeFor = async (accept: string) =>
      (await idp.with({ accept }).request('GET', USERS)).headers['content-type'];
    expect(await typeFor('application/json')).toMatch(/^application\/json/);
    expect(await typeFor('application/scim+json, application/json')).toMatch(/^application\/scim\+json/);
    expect(await typeFor('*/*')).toMatch(/^application\/scim\+json/);
  });

  it('words all errors as SCIM does', async () => {
    const cases: [status: number, answer: Promise<{ status: number; body: unknown }>][] = [
      [404, idp.request('GET', `${SCIM}/Me`)],
      [404, idp.request('POST', `${SCIM}/Bulk`, '{}')],
      [405, idp.request('DELETE', USERS)],
      [415, idp.with({ 'content-type': 'text/xml' }).request('POST', USERS, '<a/>')],
      [400, idp.request('POST', USERS, '{"userName":')],
      [413, idp.request('POST', USERS, `"${'x'.repeat(10 * 1024 * 1024)}"`)],
    ];
    for (const [expected, answer] of cases) {
      const { status, body } = await answer;
      expect([status, body]).toEqual([
        expected,
        expect.objectContaining({
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status: String(expected),
          detail: expect.any(String),
        }),
      ]);
    }
  });
});

const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

const BAD_USERS: [body: string, scimType: string][] = [
  ['', 'invalidSyntax'],
  ['null', 'invalidSyntax'],
  ['[]', 'invalidSyntax'],
  ['"x"', 'invalidSyntax'],
  ['7', 'invalidSyntax'],
  ['{}', 'invalidValue'],
  ['{', 'invalidSyntax'],
  [lists(100), 'invalidSyntax'],
  ['{"userName": null}', 'invalidValue'],
  ['{"userName": 7}', 'invalidValue'],
  ['{"userName": ["a@b.c"]}', 'invalidValue'],
  ['{"userName": ""}', 'invalidValue'],
  ['{"userName": "sam"}', 'invalidValue'],
  ['{"userName": "a b@c.d"}', 'invalidValue'],
  [`{"userName": "${'x'.repeat(320)}@b.c"}`, 'invalidValue'],
  ['{"schemas": "x", "userName": "a@b.c"}', 'invalidSyntax'],
  ['{"schemas": [], "userName": "a@b.c"}', 'invalidSyntax'],
  ['{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "userName": "a@b.c"}', 'invalidSyntax'],
  ['{"userName": "a@b.c", "active": "perhaps"}', 'invalidValue'],
  ['{"userName": "a@b.c", "active": 1}', 'invalidValue'],
  ['{"userName": "a@b.c", "active": {}}', 'invalidValue'],
  ['{"userName": "a@b.c", "title": 1e400}', 'invalidValue'],
  ['{"userName": "a@b.c", "title": 7}', 'invalidValue'],
  ['{"userName": "a@b.c", "name": []}', 'invalidValue'],
  ['{"userName": "a@b.c", "name": "x"}', 'invalidValue'],
  [`{"userName": "a@b.c", "name": {"givenName": ${lists(40)}}}`, 'invalidValue'],
  ['{"userName": "a@b.c", "emails": [7]}', 'invalidValue'],
  ['{"userName": "a@b.c", "emails": [[]]}', 'invalidValue'],
  ['{"userName": "a@b.c", "emails": [{"value": {}}]}', 'invalidValue'],
  [
    '{"userName": "a@b.c", "emails": [{"value": "a", "primary": true}, {"value": "b", "primary": "TRUE"}]}',
    'invalidValue',
  ],
  [`{"userName": "a@b.c", "externalId": "${'x'.repeat(1025)}"}`, 'invalidValue'],
  [`{"userName": "a@b.c", "displayName": "${'x'.repeat(256)}"}`, 'invalidValue'],
  [`{"userName": "a@b.c", "title": "${'ü'.repeat(40_000)}"}`, 'invalidValue'],
];

describe('bad input', () => {
  it('is refused by POST and PUT with its scimType', async () => {
    const user = await newUser();
    await every(BAD_USERS, async ([text, scimType]) => {
      for (const [method, path] of [
        ['POST', USERS],
        ['PUT', `${USERS}/${user.id}`],
      ] as const) {
        const { status, body } = await idp.request(method, path, text);
        const shown = [method, text.slice(0, 80), status, body];
        expect(shown).toEqual([method, text.slice(0, 80), 400, expect.objectContaining({ scimType })]);
      }
    });
  });

  it('is stored with characters that the database refuses replaced', async () => {
    const user = await newUser({ title: 'a\u0000b\ud800', displayName: '\u0000' });
    expect(user).toMatchObject({ title: 'a\ufffdb\ufffd', displayName: '\ufffd' });
    const keys = `{"userName": "k-${++made}@example.com", "__proto__": {"title": 1}, "constructor": {}, "toString": 1}`;
    await idp.post(USERS, keys, 201);
    await idp.get(`${USERS}?filter=${encodeURIComponent('title eq "a\u0000b"')}`);
  });

  it.each(['x', '0', '-1', '1.5', '99999999999', '%00', '%ED%A0%80', "'", 'x'.repeat(1500), '..%2F..'])(
    'in an id is answered with 404 or 400: %s',
    async (id) => {
      for (const path of [USERS, GROUPS]) {
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
          const body = { ...userBody('a@b.c'), ...groupBody('x') };
          const payload =
            method === 'PATCH'
              ? patchBody({ op: 'add', path: 'externalId', value: 'x' })
              : { ...body, schemas: undefined };
          const { status } = await idp.request(method, `${path}/${id}`, method === 'GET' ? undefined : sent(payload));
          expect([method, path, [400, 404].includes(status) ? 404 : status]).toEqual([method, path, 404]);
        }
      }
    },
  );

  it.each([
    ['{}'],
    ['{"displayName": null}'],
    ['{"displayName": 7}'],
    ['{"displayName": "x", "members": [7]}'],
    ['{"displayName": "x", "members": [{"type": "User"}]}'],
    ['{"displayName": "x", "members": [{"value": "1", "type": "Group"}]}'],
    ['{"schemas": ["urn:x"], "displayName": "x"}'],
  ])('makes no group: %s', async (body) => {
    await idp.post(GROUPS, body, 400);
  });
});
