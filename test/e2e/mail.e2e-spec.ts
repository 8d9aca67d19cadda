import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { Mailbox } from '../support/mailbox.js';
import { TestApp } from '../support/test-app.js';

const PASSWORD = 'correct horse battery';
const FORGOTTEN = '/console/password/forgotten';
const SITE = 'https://sheets.example.com';

let mailbox: Mailbox;
let app: TestApp;
let anyone: Client;
let workspace: string;
beforeAll(async () => {
  mailbox = await Mailbox.start();
  const env = { SMTP_URL: mailbox.url, MAIL_FROM: 'Tracesheet <no-reply@example.com>', PUBLIC_URL: SITE };
  app = await TestApp.own({ works: false, env: { ...env, CONSOLE_SIGN_INS_PER_MINUTE: '0' } });
  anyone = app.clientWith(null);
  const me = (await app.client.get('/api/public/v2/me')) as { workspace: { id: number } };
  workspace = `/api/admin/v1/workspaces/${me.workspace.id}`;
});
afterAll(async () => {
  await app.stop();
  await mailbox.stop();
});

const invite = (email: string, more: object = {}) =>
  app.client.post(`${workspace}/invitations`, { email, ...more }, 201) as Promise<{
    path: string;
    email_sent: boolean;
  }>;

async function join(email: string): Promise<void> {
  const { path } = await invite(email, { send_email: false });
  await anyone.post('/console/invitation/accept', { token: path.split('#')[1], password: PASSWORD }, 201);
}

const linkIn = (text: string) => /https:\S+/.exec(text)![0];
const signIn = (email: string, password: string, status: number) =>
  anyone.post('/console/sign-in', { email, password }, status);

describe('an invitation', () => {
  it('is sent to the address, with a link to the public address of the server whatever the request says', async () => {
    const { path, email_sent } = await invite('ada@example.com');
    expect(email_sent).toBe(true);
    const { text } = await mailbox.next('ada@example.com');
    expect(text).toMatch(/^From: Tracesheet <no-reply@example\.com>\r$/m);
    expect(linkIn(text)).toBe(`${SITE}${path}`);
    const host = app.client.with({ host: 'evil.example', 'x-forwarded-host': 'evil.example' });
    await host.post(`${workspace}/invitations`, { email: 'eve@example.com' }, 201);
    expect((await mailbox.next('eve@example.com')).text).not.toContain('evil.example');
  });

  it('is not sent when its creator does not want that', async () => {
    expect(await invite('quiet@example.com', { send_email: false })).toMatchObject({ email_sent: false });
    await invite('loud@example.com');
    await mailbox.next('loud@example.com');
    expect(mailbox.mails).toEqual([]);
  });

  it('is there, with its link, when the mail server refuses it', async () => {
    mailbox.refuses = true;
    const { path, email_sent } = await invite('refused@example.com').finally(() => (mailbox.refuses = false));
    expect(email_sent).toBe(false);
    await anyone.post('/console/invitation', { token: path.split('#')[1] }, 201);
  });

  it('goes to one recipient, whatever the names contain', async () => {
    await app.operator().patch(workspace, { name: 'A\r\nBcc: everybody@example.com' });
    const email = 'a,everybody.example.com@example.com';
    await invite(email);
    const quoted = '"a,everybody.example.com"@example.com';
    const mail = await mailbox.next(quoted);
    expect(mail.recipients).toEqual([quoted]);
    expect(mail.text).not.toMatch(/^Bcc:/m);
  });
});

describe('a forgotten password', () => {
  it('is replaced by a link that comes by e-mail and works once', async () => {
    await join('forgetful@example.com');
    expect(await anyone.get('/console/sign-in')).toMatchObject({ can_reset_password: true });
    await anyone.post(FORGOTTEN, { email: 'Forgetful@Example.com' }, 202);
    const link = new URL(linkIn((await mailbox.next('forgetful@example.com')).text));
    expect(`${link.origin}${link.pathname}`).toBe(`${SITE}/console/password`);
    const body = { token: link.hash.slice(1), password: 'another long password' };
    await anyone.post('/console/password', body, 201);
    await anyone.post('/console/password', body, 404);
    await signIn('forgetful@example.com', PASSWORD, 401);
    await signIn('forgetful@example.com', body.password, 201);
  });

  it('has the same answer for every address, and e-mail only for active users, three at most', async () => {
    await join('disabled@example.com');
    await join('often@example.com');
    const { users } = (await app.operator().get('/api/admin/v1/users')) as { users: { id: number; email: string }[] };
    const disabled = users.find(({ email }) => email === 'disabled@example.com')!;
    await app.operator().patch(`/api/admin/v1/users/${disabled.id}`, { status: 'disabled' });
    const answers = [];
    for (const email of ['nobody@example.com', 'disabled@example.com', ...Array<string>(5).fill('often@example.com')]) {
      answers.push(await anyone.post(FORGOTTEN, { email }, 202));
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    for (let n = 0; n < 3; n++) await mailbox.next('often@example.com');
    await join('last@example.com');
    await anyone.post(FORGOTTEN, { email: 'last@example.com' }, 202);
    await mailbox.next('last@example.com');
    expect(mailbox.mails).toEqual([]);
  });

  it.each([
    [{}],
    [{ email: null }],
    [{ email: 5 }],
    [{ email: 'nobody' }],
    [{ email: `${'x'.repeat(320)}@example.com` }],
  ])('is not asked for by %j', async (body) => {
    await anyone.post(FORGOTTEN, body, 422);
  });

  it('is for the operator to replace where the server sends no e-mail', async () => {
    const silent = await TestApp.own({ works: false });
    try {
      const client = silent.clientWith(null);
      expect(await client.get('/console/sign-in')).toMatchObject({ can_reset_password: false });
      expect(await client.post(FORGOTTEN, { email: 'a@example.com' }, 403)).toMatchObject({
        error: 'password_reset_off',
      });
    } finally {
      await silent.stop();
    }
  });

  it('needs settings that fit together', async () => {
    const env = { SMTP_URL: 'smtp://127.0.0.1:1' };
    await expect(TestApp.own({ works: false, env })).rejects.toThrow('SMTP_URL needs MAIL_FROM');
  });
});
