import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, send } from '../support/otlp.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';

const SEARCHES = ['/api/public/v2/requests/search', '/api/public/v2/traces/search'];

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own();
});
afterAll(() => app.stop());

const sendTexts = (client: Client, texts: string[]) =>
  send(
    client,
    texts.map((input, index) => llmSpan({ input, output: 'fine', model: `m${index}` }, { name: `m${index}` })),
  );

/** The numbers of the texts on the first page, how many there are, and whether that is exact. */
async function found(client: Client, path: string, body: object): Promise<[number[], number, boolean]> {
  const {
    items,
    total,
    total_is_exact: isExact,
  } = (await client.post(path, body)) as {
    items: { engine?: string; name?: string }[];
    total: number;
    total_is_exact: boolean;
  };
  const numbers = items.map(({ engine, name }) => Number((engine ?? name)!.slice(1)));
  return [numbers.sort((a, b) => a - b), total, isExact];
}

describe.each(SEARCHES)('%s', (path) => {
  it.each(['while they wait', 'when they are indexed'])('looks at short words beside long ones %s', async (when) => {
    const client = await app.stranger();
    await sendTexts(client, ['lantern paper', 'lantern gamma', 'lantern 木', 'lantern 林']);
    if (when === 'when they are indexed') await untilSearchable(app);
    expect(await found(client, path, { q: 'lantern pa' })).toEqual([[0], 1, true]);
    expect(await found(client, path, { q: 'lantern 木' })).toEqual([[2], 1, true]);
    expect(await found(client, path, { q: '木' })).toEqual([[2], 1, true]);
    expect(await found(client, path, { q: 'lantern x' })).toEqual([[], 0, true]);
  });
});
