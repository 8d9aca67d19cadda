import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newWorkspace } from '../support/erasures.js';
import { Mailbox } from '../support/mailbox.js';
import { createMonitor, logCalls } from '../support/monitors.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWebhook, deliveriesOf, IMPATIENT, Receiver, webhooksUrl, webhookUrl } from '../support/webhooks.js';

const SITE = 'https://sheets.example.com';
let mailbox: Mailbox;
let app: TestApp;
let receiver: Receiver;
let me: Client;
let workspaceId: number;
beforeAll(async () => {
  mailbox = await Mailbox.start();
  receiver = await Receiver.start();
  const mail = { SMTP_URL: mailbox.url, MAIL_FROM: 'Tracesheet <no-reply@example.com>', PUBLIC_URL: SITE };
  app = await TestApp.own({ env: { ...IMPATIENT, ...mail, MONITOR_DELAY_SECONDS: '0' } });
  ({ me, id: workspaceId } = await newWorkspace(app));
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
  await mailbox.stop();
});

describe('messages of monitors', () => {
  it('are written for chat systems, and sent by e-mail', async () => {
    const types = { event_types: ['monitor_opened'] };
    for (const format of ['json', 'slack', 'teams']) {
      const { webhook } = await createWebhook(me, workspaceId, { url: receiver.url, format, ...types });
      expect(webhook).toMatchObject({ format });
    }
    const { webhook: mail } = await createWebhook(me, workspaceId, { url: 'mailto:ops@example.com', ...types });
    await logCalls(me, 6, { status: 'ERROR' });
    await createMonitor(me, { name: 'Failures <!channel>' });
    const text = 'Failures <!channel>: share of failures 100 %, expected at most 20 %, 6 items.';
    await until(
      async () => receiver.requests.length === 3 && (await deliveriesOf(me, mail))[0]?.status === 'delivered',
    );
    const payloads = receiver.payloads;
    const json = payloads.find(({ event_type: type }) => type === 'monitor_opened') as {
      details: Record<string, string>;
    };
    expect(json.details).toMatchObject({
      text,
      figure: 1,
      items: 6,
      url: expect.stringContaining(`${SITE}/console/monitors`),
    });
    expect(json.details.items_url).toContain(`${SITE}/console/logs?status=ERROR`);
    expect(payloads).toContainEqual({
      text: text.replace('<', '&lt;').replace('>', '&gt;'),
      blocks: [expect.objectContaining({ type: 'section' }), { type: 'actions', elements: expect.anything() }],
    });
    expect(payloads).toContainEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: expect.objectContaining({ type: 'AdaptiveCard', body: [{ type: 'TextBlock', text, wrap: true }] }),
        },
      ],
    });
    const [message] = mailbox.mails;
    expect(message!.recipients).toEqual(['ops@example.com']);
    expect(message!.text).toContain('share of failures 100 %');
    expect(message!.text).toContain(`Open: ${SITE}/console/monitors`);
  });

  it('go to one e-mail address, and formats can be changed', async () => {
    for (const url of ['mailto:a@example.com,b@example.com', 'mailto:', 'mailto:a', 'mailto:a@b.c\r\nBcc: d@e.f']) {
      await me.post(webhooksUrl(workspaceId), { url }, 400);
    }
    await me.post(webhooksUrl(workspaceId), { url: receiver.url, format: 'fax' }, 422);
    const { webhook } = await createWebhook(me, workspaceId, { url: receiver.url });
    const changed = (await me.patch(webhookUrl(webhook), { format: 'teams' })) as { webhook: { format: string } };
    expect(changed.webhook.format).toBe('teams');
    const off = await TestApp.own({ works: false });
    const other = await newWorkspace(off);
    const refused = await other.me.post(webhooksUrl(other.id), { url: 'mailto:ops@example.com' }, 400);
    expect(refused).toMatchObject({ error: 'webhook_mail_off' });
    await off.stop();
  });
});
