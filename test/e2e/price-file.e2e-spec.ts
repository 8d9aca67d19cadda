import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PriceFile } from '../../src/requests/pricing/price-file.js';
import { logCall } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { readLog } from '../support/tracking.js';
import { until } from '../support/until.js';

let folder: string;
let file: string;
let app: TestApp;

const table = (input: number) =>
  JSON.stringify([
    {
      id: 'openai',
      name: 'OpenAI',
      api_pattern: 'openai',
      models: [{ id: 'gpt-9', match: { equals: 'gpt-9' }, prices: { input_mtok: input } }],
    },
  ]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prices-'));
  file = join(folder, 'prices.json');
  await writeFile(file, table(7));
  app = await TestApp.own({ works: false, env: { PRICES_FILE: file } });
});
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true });
});

async function priceOf(model: string): Promise<number | null> {
  const id = await logCall(app.client, { provider: 'openai', model, inputTokens: 1_000_000, outputTokens: 0 });
  const { price, priced } = await readLog(app.client, id);
  return priced ? price : null;
}

it('prices calls by the file, also after it changes', async () => {
  expect([await priceOf('gpt-9'), await priceOf('gpt-5')]).toEqual([7, null]);
  await writeFile(file, table(12.5));
  await until(async () => (await priceOf('gpt-9')) === 12.5);
});

it('keeps its prices when the file cannot be read', async () => {
  for (const content of [table(3), '[{"id": "openai"']) {
    await writeFile(file, content);
    await app.app.get(PriceFile).refresh();
  }
  expect(await priceOf('gpt-9')).toBe(3);
});

it('does not start with a file that is no table of prices', async () => {
  const pricesFile = join(folder, 'bad.json');
  await writeFile(pricesFile, table(-1));
  const started = new PriceFile({ ...app.config, pricesFile }).onModuleInit();
  await expect(started).rejects.toThrow('PRICES_FILE cannot be used');
});
