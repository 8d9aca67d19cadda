import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { clientOf } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createTool, executionOf, testExecute, TOOLS } from '../support/tools.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

const ENV_VARS = '/api/public/v2/env-vars';
const SECRET = 'a-value-that-nobody-sees-1234';

interface EnvVar {
  id: number;
  key: string;
  value_suffix: string | null;
  is_empty: boolean;
  updated_at: string;
  workspace_id?: number;
  tool_registry_id?: number;
}

/** The same routes for a workspace and for one of its tools. */
class Scope {
  constructor(
    readonly url: string,
    private readonly key: 'workspace_env_var' | 'tool_env_var',
    private readonly client = me,
  ) {}

  async add(body: object): Promise<EnvVar> {
    return ((await this.client.post(this.url, body, 201)) as Record<string, EnvVar>)[this.key]!;
  }

  async set(id: number, value: string): Promise<EnvVar> {
    return ((await this.client.patch(`${this.url}/${id}`, { value })) as Record<string, EnvVar>)[this.key]!;
  }

  async list(): Promise<EnvVar[]> {
    return ((await this.client.get(this.url)) as Record<string, EnvVar[]>)[`${this.key}s`]!;
  }
}

let count = 0;
const ofWorkspace = () => new Scope(ENV_VARS, 'workspace_env_var');
const ofTool = async () => {
  const id = await createTool(me, `tool ${count++}`);
  return { id, scope: new Scope(`${TOOLS}/${id}/env-vars`, 'tool_env_var') };
};
const scopes = [
  ['a workspace', () => Promise.resolve(ofWorkspace())],
  ['a tool', async () => (await ofTool()).scope],
] as const;

describe.each(scopes)('an environment variable of %s', (what, scopeOf) => {
  const name = (key: string) => `${key}_${what.slice(2).toUpperCase()}`;

  it('is added, listed by its key, changed and deleted', async () => {
    const scope = await scopeOf();
    const second = await scope.add({ key: name('B'), value: SECRET });
    const first = await scope.add({ key: name('A') });
    expect(second).toMatchObject({ key: name('B'), value_suffix: '1234', is_empty: false });
    expect(first).toMatchObject({ key: name('A'), value_suffix: null, is_empty: true });
    expect(await scope.list()).toEqual([first, second]);

    const filled = await scope.set(first.id, 'filled in 9876');
    expect(filled).toMatchObject({ id: first.id, value_suffix: '9876', is_empty: false });
    expect(filled.updated_at >= first.updated_at).toBe(true);

    expect(await me.delete(`${scope.url}/${first.id}`)).toEqual({ success: true });
    expect(await scope.list()).toEqual([second]);
    await me.delete(`${scope.url}/${first.id}`, 404);
    await me.patch(`${scope.url}/${first.id}`, { value: 'x' }, 404);
    await me.delete(`${scope.url}/${second.id}`);
  });

  it('never shows its value, and it is not in the database or the audit trail either', async () => {
    const scope = await scopeOf();
    const { id } = await scope.add({ key: name('HIDDEN'), value: SECRET });
    const [{ value }] = (await app.sql('SELECT value FROM env_vars WHERE id = $1', [id])) as [{ value: Buffer }];
    expect(value.toString('latin1')).not.toContain('nobody-sees');
    const answers = [await scope.list(), await me.get('/api/admin/v1/workspaces/1/audit-entries')];
    expect(JSON.stringify(answers)).toContain(name('HIDDEN'));
    expect(JSON.stringify(answers)).not.toContain('nobody-sees');
  });

  it('has a key of its own: a second one is refused, also when both come at once', async () => {
    const scope = await scopeOf();
    const body = { key: name('TWICE'), value: 'x' };
    const answers = await Promise.all([1, 2, 3].map(() => me.request('POST', scope.url, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await me.post(scope.url, body, 409)).toMatchObject({
      success: false,
      error: 'env_var_exists',
      message: expect.stringContaining(body.key),
    });
    await scope.add({ key: body.key.toLowerCase(), value: 'x' });
  });

  it.each(['PATH', 'LD_PRELOAD', 'PYTHONSTARTUP', 'NODE_OPTIONS', 'DYLD_INSERT_LIBRARIES', 'BASH_ENV', 'ld_preload'])(
    'cannot be called %s',
    async (key) => {
      const scope = await scopeOf();
      expect(await me.post(scope.url, { key, value: 'x' }, 422)).toMatchObject({
        detail: [{ loc: ['body', 'key'], msg: expect.stringContaining('reserved') }],
      });
    },
  );

  it.each([
    [{}],
    [{ key: '' }],
    [{ key: null }],
    [{ key: 7 }],
    [{ key: '1A' }],
    [{ key: 'A-B' }],
    [{ key: 'A B' }],
    [{ key: 'Ä' }],
    [{ key: 'A\0' }],
    [{ key: 'A\n' }],
    [{ key: 'x'.repeat(256) }],
    [{ key: 'OK', value: 7 }],
    [{ key: 'OK', value: 'x'.repeat(8193) }],
  ])('is refused: %j', async (body) => {
    await me.post((await scopeOf()).url, body, 422);
  });

  it('holds up to 8192 characters of any kind, and cannot be made empty', async () => {
    const scope = await scopeOf();
    const { id } = await scope.add({ key: name('LONG'), value: `${'ü'.repeat(8188)}🎉日本語` });
    expect(await scope.list()).toContainEqual(expect.objectContaining({ id, value_suffix: '🎉日本語' }));
    await me.patch(`${scope.url}/${id}`, { value: '' }, 422);
    await me.patch(`${scope.url}/${id}`, {}, 422);
    await me.patch(`${scope.url}/${id}`, { value: null }, 422);
    expect(await scope.set(id, 'ab')).toMatchObject({ value_suffix: 'ab' });
  });

  it('is for those who may edit tools', async () => {
    const scope = await scopeOf();
    const { id } = await scope.add({ key: name('GUARDED'), value: 'x' });
    const viewer = await clientOf(app, 1, { role: 'viewer' });
    expect(await viewer.post(scope.url, { key: 'NEW' }, 403)).toMatchObject({
      message: expect.stringContaining('TOOL_EDIT'),
    });
    await viewer.patch(`${scope.url}/${id}`, { value: 'y' }, 403);
    await viewer.delete(`${scope.url}/${id}`, 403);
    await viewer.get(scope.url);
    await (await clientOf(app, 1, { role: 'contributor' })).delete(`${scope.url}/${id}`);
  });

  it('is answered once for one Idempotency-Key', async () => {
    const scope = await scopeOf();
    const client = me.with({ 'idempotency-key': `env-${name('RETRY')}` });
    const body = { key: name('RETRY'), value: 'x' };
    expect(await client.post(scope.url, body, 201)).toEqual(await client.post(scope.url, body, 201));
  });
});

describe('environment variables', () => {
  it('are apart for each tool and for the workspace', async () => {
    const [one, other] = [await ofTool(), await ofTool()];
    const { id } = await one.scope.add({ key: 'APART', value: 'of the tool' });
    await other.scope.add({ key: 'APART', value: 'of another tool' });
    await ofWorkspace().add({ key: 'APART', value: 'of the workspace' });
    await me.delete(`${other.scope.url}/${id}`, 404);
    await me.patch(`${ENV_VARS}/${id}`, { value: 'x' }, 404);
    expect(await one.scope.list()).toEqual([expect.objectContaining({ id, tool_registry_id: one.id })]);
    expect((await ofWorkspace().list()).every(({ workspace_id }) => workspace_id === 1)).toBe(true);
  });

  it('are not found in another workspace', async () => {
    const { id } = await ofWorkspace().add({ key: 'OURS', value: 'x' });
    const stranger = await app.stranger();
    expect(await stranger.get(ENV_VARS)).toMatchObject({ workspace_env_vars: [] });
    await stranger.delete(`${ENV_VARS}/${id}`, 404);
    await stranger.patch(`${ENV_VARS}/${id}`, { value: 'x' }, 404);
  });

  it('are limited to 200 per tool or workspace', async () => {
    const { scope } = await ofTool();
    await Promise.all(Array.from({ length: 200 }, (_, index) => scope.add({ key: `V${index}` })));
    expect(await me.post(scope.url, { key: 'ONE_MORE' }, 400)).toMatchObject({ error: 'env_var_too_many' });
  });

  it('say which of them cannot be read any more', async () => {
    const { id, scope } = await ofTool();
    const lost = await scope.add({ key: 'LOST', value: SECRET });
    await app.sql(`UPDATE env_vars SET value = '\\x01' || value WHERE id = $1`, [lost.id]);
    expect(await scope.list()).toEqual([expect.objectContaining({ value_suffix: null, is_empty: false })]);
    const body = { execution: executionOf('python', 'return 1') };
    expect(await me.post(`${TOOLS}/${id}/test-execute`, body, 400)).toMatchObject({ error: 'env_var_unreadable' });
    await scope.set(lost.id, 'anew');
    expect(await testExecute(me, id, body)).toMatchObject({ result: 1 });
  });
});

describe('a server without SECRETS_KEY', () => {
  it('keeps the names of variables, but no values', async () => {
    const keyless = await TestApp.start({ works: false, env: { SECRETS_KEY: '' } });
    try {
      await keyless.client.post(ENV_VARS, { key: 'LATER' }, 201);
      expect(await keyless.client.post(ENV_VARS, { key: 'NOW', value: 'x' }, 400)).toMatchObject({
        error: 'secrets_key_missing',
      });
    } finally {
      await keyless.stop();
    }
  });
});
