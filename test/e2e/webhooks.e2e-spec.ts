import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { clientOf, publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createWebhook, webhooksUrl, webhookUrl } from '../support/webhooks.js';

const URL_OF_NOBODY = 'https://hooks.invalid/here';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

/** A workspace of its own and a key with the role admin. */
async function newWorkspace(): Promise<{ me: Client; id: number }> {
  const me = await app.stranger();
  return { me, id: (await publishPrompt(me, 'p')).workspace_id };
}

describe('a webhook', () => {
  it('is created for everything, listed, changed, switched off and deleted', async () => {
    const { me, id } = await newWorkspace();
    const { webhook, secret } = await createWebhook(me, id, { url: URL_OF_NOBODY });
    const { workspaceId: _, ...body } = webhook;
    expect(body).toEqual({
      id: expect.any(Number),
      name: null,
      url: URL_OF_NOBODY,
      format: 'json',
      event_types: null,
      enabled: true,
      created_by: expect.any(Number),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    const { webhook: second } = await createWebhook(me, id, { url: 'https://other.invalid', name: 'Second' });
    expect(await me.get(webhooksUrl(id))).toMatchObject({ webhooks: [{ id: second.id, name: 'Second' }, body] });

    const at = webhookUrl(webhook);
    const types = ['prompt_template_deleted'];
    const changed = { name: 'First', url: 'http://new.invalid', event_types: types, enabled: false };
    expect(await me.patch(at, changed)).toMatchObject({ webhook: changed });
    expect(await me.patch(at, {})).toMatchObject({ webhook: changed });
    expect(await me.patch(at, { name: null, event_types: null })).toMatchObject({
      webhook: { ...changed, name: null, event_types: null },
    });
    expect(await me.get(at)).toMatchObject({ webhook: { url: 'http://new.invalid', enabled: false } });

    expect(await me.delete(at)).toMatchObject({ webhook: { id: webhook.id } });
    expect(await me.get(at, 404)).toMatchObject({ error: 'webhook_not_found' });
    await me.delete(at, 404);
    expect(await me.get(webhooksUrl(id))).toMatchObject({ webhooks: [{ id: second.id }] });
  });

  it('may ask for each of the types of events that are listed with it', async () => {
    const { me, id } = await newWorkspace();
    const at = `/api/admin/v1/workspaces/${id}/events/types`;
    const { event_types: types } = (await me.get(at)) as { event_types: { type: string; is_announced: boolean }[] };
    expect(types).toContainEqual({
      type: 'prompt_template_deleted',
      description: 'A prompt was deleted.',
      is_announced: true,
    });
    expect(types.filter(({ is_announced: isAnnounced }) => !isAnnounced)).toHaveLength(3);
    const names = types.map(({ type }) => type);
    expect(new Set(names).size).toBe(names.length);
    const { webhook } = await createWebhook(me, id, { url: URL_OF_NOBODY, event_types: names });
    expect(webhook.event_types).toEqual(names);
    const other = await app.stranger();
    expect(await other.get(at, 404)).toMatchObject({ error: 'workspace_not_found' });
  });

  it('has a secret that is shown once and stored only encrypted', async () => {
    const { me, id } = await newWorkspace();
    const { webhook, secret } = await createWebhook(me, id, { url: URL_OF_NOBODY });
    const rotated = (await me.post(`${webhookUrl(webhook)}/secret`, undefined, 201)) as { secret: string };
    expect(rotated.secret).not.toBe(secret);
    const answers = [
      await me.get(webhooksUrl(id)),
      await me.get(webhookUrl(webhook)),
      await me.patch(webhookUrl(webhook), { name: 'x' }),
      await me.get(`${webhookUrl(webhook)}/deliveries`),
      await me.delete(webhookUrl(webhook)),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/whsec_|secret/);
    const { webhook: kept, secret: hidden } = await createWebhook(me, id, { url: URL_OF_NOBODY });
    const row = await app.sql(`SELECT w::text AS text, secret FROM webhooks w WHERE id = ${kept.id}`);
    const { text, secret: stored } = row[0] as { text: string; secret: Buffer };
    expect(stored.length).toBeGreaterThan(hidden.length);
    expect([text.includes(hidden), stored.includes(hidden), stored.includes(hidden.slice(6))]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await app.sql('SELECT 1 FROM audit_entries WHERE details::text LIKE $1', ['%whsec_%'])).toEqual([]);
  });

  it('leaves traces in the audit trail', async () => {
    const { me, id } = await newWorkspace();
    const { webhook } = await createWebhook(me, id, { url: URL_OF_NOBODY });
    await me.patch(webhookUrl(webhook), { enabled: false });
    await me.post(`${webhookUrl(webhook)}/secret`, undefined, 201);
    await me.delete(webhookUrl(webhook));
    const deeds = await app.sql(
      `SELECT action, entity_id FROM audit_entries WHERE workspace_id = $1 AND action LIKE 'webhook.%' ORDER BY id`,
      [id],
    );
    const verbs = ['create', 'update', 'rotate_secret', 'delete'];
    expect(deeds).toEqual(verbs.map((verb) => ({ action: `webhook.${verb}`, entity_id: String(webhook.id) })));
  });

  it('is managed by keys with the role admin and by the operator', async () => {
    const { me, id } = await newWorkspace();
    const { webhook } = await createWebhook(app.operator(), id, { url: URL_OF_NOBODY });
    expect(await me.get(webhookUrl(webhook))).toMatchObject({ webhook: { created_by: null } });
    for (const role of ['member', 'publisher', 'viewer']) {
      const client = await clientOf(app, id, { role });
      await client.get(webhooksUrl(id), 403);
      await client.post(webhooksUrl(id), { url: URL_OF_NOBODY }, 403);
      await client.post(`${webhookUrl(webhook)}/secret`, undefined, 403);
      await client.get(`${webhookUrl(webhook)}/deliveries`, 403);
    }
  });

  it('does not exist in another workspace', async () => {
    const mine = await newWorkspace();
    const other = await newWorkspace();
    const { webhook } = await createWebhook(mine.me, mine.id, { url: URL_OF_NOBODY });
    const at = webhookUrl({ ...webhook, workspaceId: other.id });
    await other.me.get(at, 404);
    await other.me.patch(at, { enabled: false }, 404);
    await other.me.delete(at, 404);
    await other.me.post(`${at}/secret`, undefined, 404);
    await other.me.get(`${at}/deliveries`, 404);
    await other.me.post(`${at}/deliveries/1/redeliver`, undefined, 404);
    await other.me.get(webhooksUrl(mine.id), 404);
    expect(await mine.me.get(webhookUrl(webhook))).toMatchObject({ webhook: { enabled: true } });
  });
});

describe('a webhook is refused', () => {
  it.each([
    'http://127.0.0.1',
    'http://127.1:9000/x',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'https://10.1.2.3',
    'https://192.168.0.1',
    'http://localhost:3000',
    'http://me:word@hooks.invalid',
    'ftp://hooks.invalid',
    'hooks.invalid',
  ])('when it points to %s', async (url) => {
    const { me, id } = await newWorkspace();
    expect(await me.post(webhooksUrl(id), { url }, 400)).toMatchObject({ error: 'webhook_url_refused' });
    const { webhook } = await createWebhook(me, id, { url: URL_OF_NOBODY });
    expect(await me.patch(webhookUrl(webhook), { url }, 400)).toMatchObject({ error: 'webhook_url_refused' });
    expect(await me.get(webhookUrl(webhook))).toMatchObject({ webhook: { url: URL_OF_NOBODY } });
  });

  it('when the workspace has as many as it may have, and not when one is gone', async () => {
    const strict = await TestApp.start({ works: false, env: { WEBHOOKS_MAX: '2' } });
    try {
      const me = strict.client;
      const create = (status: number) => me.post(webhooksUrl(1), { url: URL_OF_NOBODY }, status);
      const { webhook } = await createWebhook(me, 1, { url: URL_OF_NOBODY });
      const answers = await Promise.all(
        [1, 2, 3].map(() => me.request('POST', webhooksUrl(1), { url: URL_OF_NOBODY })),
      );
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
      expect(await create(409)).toMatchObject({
        error: 'webhook_too_many',
        message: expect.stringContaining('WEBHOOKS_MAX'),
      });
      await me.delete(webhookUrl(webhook));
      await create(201);
    } finally {
      await strict.stop();
    }
  });

  it('not when it names a type of event that clients know and nothing announces yet', async () => {
    const { me, id } = await newWorkspace();
    const types = [
      'agent_run_finished',
      'report_finished',
      'skill_collection_files_changed',
      'prompt_template_deleted',
    ];
    const { webhook } = await createWebhook(me, id, { url: URL_OF_NOBODY, event_types: types });
    expect(webhook.event_types).toEqual(types);
  });

  it('when it names a type of event that does not exist, or none', async () => {
    const { me, id } = await newWorkspace();
    const body = { url: URL_OF_NOBODY, event_types: ['prompt_template_deleted', 'moon_landing'] };
    expect(await me.post(webhooksUrl(id), body, 400)).toMatchObject({ error: 'webhook_event_type_unknown' });
    await me.post(webhooksUrl(id), { url: URL_OF_NOBODY, event_types: [] }, 422);
  });

  it('while the installation has no key to keep its secret with', async () => {
    const keyless = await TestApp.start({ works: false, env: { SECRETS_KEY: '' } });
    try {
      const refusal = await keyless.client.post(webhooksUrl(1), { url: URL_OF_NOBODY }, 400);
      expect(refusal).toMatchObject({ error: 'secrets_key_missing', message: expect.stringContaining('SECRETS_KEY') });
      expect(await keyless.client.get(webhooksUrl(1))).toMatchObject({ webhooks: [] });
    } finally {
      await keyless.stop();
    }
  });
});
