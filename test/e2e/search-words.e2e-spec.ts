import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProjectionService } from '../../src/requests/search/projection.service.js';
import { Vocabulary } from '../../src/text-search/words/vocabulary.js';
import type { Client } from '../support/client.js';
import { llmSpan, send } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const LOGS = '/api/public/v2/requests/search';
const TRACES = '/api/public/v2/traces/search';

/** A server whose worker does nothing by itself. */
let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

const sendTexts = (client: Client, texts: string[]) =>
  send(
    client,
    texts.map((input, index) => llmSpan({ input, output: 'fine', model: `m${index}` }, { name: `m${index}` })),
  );

/** Puts everything into the indexes: logs as the worker does, traces by a search. */
async function indexAll(client: Client): Promise<void> {
  await new ProjectionService(app.app.get(DataSource), app.app.get(Vocabulary)).drain();
  await client.post(TRACES, { q: 'x' });
}

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

const STATES = [
  [LOGS, 'that wait'],
  [LOGS, 'that are indexed'],
  [TRACES, 'that wait'],
  [TRACES, 'that are indexed'],
] as const;

describe.each(STATES)('%s of documents %s', (path, state) => {
  async function clientWith(texts: string[]): Promise<Client> {
    const client = await app.stranger();
    await sendTexts(client, texts);
    if (state === 'that are indexed') await indexAll(client);
    return client;
  }

  it('looks at short words beside long ones', async () => {
    const client = await clientWith(['lantern paper', 'lantern gamma', 'lantern 木', 'lantern 林']);
    expect(await found(client, path, { q: 'lantern pa' })).toEqual([[0], 1, true]);
    expect(await found(client, path, { q: 'lantern 木' })).toEqual([[2], 1, true]);
    expect(await found(client, path, { q: '木' })).toEqual([[2], 1, true]);
    expect(await found(client, path, { q: 'lantern x' })).toEqual([[], 0, true]);
  });

  it('counts only what has the symbols', async () => {
    const client = await clientWith(['one', 'two 😀', 'three', 'four 😀', 'five', 'six', '😀 seven']);
    const [onPage, total, isExact] = await found(client, path, { q: '😀', per_page: 1 });
    expect([onPage.length, total, isExact]).toEqual([1, 3, true]);
  });

  it('takes no word of a document for misspelt', async () => {
    const client = await clientWith(['refund', 'refudn']);
    expect(await found(client, path, { q: 'refudn' })).toEqual([[1], 1, true]);
    expect(await found(client, path, { q: 'retund' })).toEqual([[0], 1, true]);
  });
});

it('takes no word of a log that waits for misspelt when the words of others are indexed', async () => {
  const client = await app.stranger();
  await sendTexts(client, ['refund']);
  await indexAll(client);
  await sendTexts(client, ['other', 'refudn']);
  for (const path of [LOGS, TRACES]) expect(await found(client, path, { q: 'refudn' })).toEqual([[1], 1, true]);
});
