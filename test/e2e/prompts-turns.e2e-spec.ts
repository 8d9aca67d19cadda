import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { publishPrompt, renderPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

const ENDLESS = '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{{ name }}';
const MANY = 24;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

async function withPrompts(client: Client): Promise<Client> {
  await publishPrompt(client, 'endless', { message: ENDLESS, format: 'jinja2' });
  await publishPrompt(client, 'quick', { message: 'Hello {{ name }}', format: 'jinja2' });
  return client;
}

/** A client with another key of the first workspace. */
async function colleague(): Promise<Client> {
  const url = '/api/admin/v1/workspaces/1/api-keys';
  const { secret } = (await app.operator().post(url, { role: 'member' }, 201)) as { secret: string };
  return app.clientWith(secret);
}

it.each([
  ['another workspace', () => app.stranger().then(withPrompts)],
  ['another key of the workspace', colleague],
])('renders for %s while somebody has many endless templates waiting', async (_, somebodyElse) => {
  const me = app.client;
  if ((await me.request('GET', '/prompt-templates/endless')).status === 404) await withPrompts(me);
  const other = await somebodyElse();
  let over = 0;
  const endless = Array.from({ length: MANY }, async () => {
    const answer = await renderPrompt(me, 'endless', { input_variables: { name: 'Ada' } });
    over++;
    return answer;
  });
  for (let count = 0; count < 3; count++) {
    const answer = await renderPrompt(other, 'quick', { input_variables: { name: 'Ada' } });
    expect(JSON.stringify(answer)).toContain('Hello Ada');
  }
  // Each has waited for at most one slot: that of one of the two templates that are being rendered.
  expect(over).toBeLessThan(MANY / 2);
  for (const { warning } of await Promise.all(endless)) expect(warning).toContain('took too long');
});
