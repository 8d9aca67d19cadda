import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, newSheet, settled } from '../support/factories.js';
import { type Metered } from '../support/external-cells.js';
import { FakeVendors, USAGE } from '../support/fake-vendors.js';
import { addCredential, CREDENTIALS, type ModelCredential } from '../support/model-credentials.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let vendors: FakeVendors;
beforeAll(async () => {
  vendors = await FakeVendors.start();
  app = await TestApp.start({ env: { OUTBOUND_ALLOW_PRIVATE: 'on', EXTERNAL_BACKOFF_MS: '10' } });
  me = app.client;
});
afterAll(async () => {
  await app.stop();
  await vendors.stop();
});
beforeEach(() => vendors.reset());

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const serviceAccount = () =>
  JSON.stringify({ client_email: 'robot@example.com', private_key: privateKey, token_uri: `${vendors.url}/token` });

interface Vendor {
  provider: string;
  model: string;
  /** Added to the URL of the fake vendors. */
  base: string;
  secret?: () => string;
  options?: Record<string, string>;
  apiType?: string;
  path: string;
  header: [string, RegExp];
}

const KEY = 'sk-test-0123456789';
const BEARER: [string, RegExp] = ['authorization', /^Bearer sk-test-0123456789$/];
const AWS_KEY = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const SIGNED: [string, RegExp] = [
  'authorization',
  /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/\d{8}\/eu-west-1\/bedrock/,
];

const VENDORS: Vendor[] = [
  { provider: 'openai', model: 'gpt-4.1-mini', base: '/v1', path: '/v1/chat/completions', header: BEARER },
  { provider: 'openai', model: 'gpt-4.1', apiType: 'responses', base: '/v1', path: '/v1/responses', header: BEARER },
  {
    provider: 'openai.azure',
    model: 'house-gpt',
    base: '',
    path: '/openai/deployments/house-gpt/chat/completions?api-version=2024-10-21',
    header: ['api-key', /^sk-test-0123456789$/],
  },
  {
    provider: 'anthropic',
    model: 'claude-sonnet-4',
    base: '',
    path: '/v1/messages',
    header: BEARER,
  },
  {
    provider: 'google',
    model: 'gemini-2.5-flash',
    base: '/v1beta',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    header: ['x-goog-api-key', /^sk-test/],
  },
  {
    provider: 'vertexai',
    model: 'gemini-2.5-pro',
    base: '/v1',
    secret: serviceAccount,
    options: { project: 'house' },
    path: '/v1/projects/house/locations/global/publishers/google/models/gemini-2.5-pro:generateContent',
    header: ['authorization', /^Bearer granted$/],
  },
  {
    provider: 'vertexai',
    model: 'claude-sonnet-4',
    base: '/v1',
    secret: () => 'access-token-1234',
    options: { project: 'house', location: 'us-east5' },
    path: '/v1/projects/house/locations/us-east5/publishers/anthropic/models/claude-sonnet-4:rawPredict',
    header: ['authorization', /^Bearer access-token-1234$/],
  },
  {
    provider: 'amazon.bedrock',
    model: 'amazon.nova-lite-v1:0',
    base: '',
    secret: () => AWS_KEY,
    options: { region: 'eu-west-1' },
    path: '/model/amazon.nova-lite-v1%3A0/converse',
    header: SIGNED,
  },
  {
    provider: 'amazon.bedrock',
    model: 'amazon.nova-pro-v1:0',
    base: '',
    secret: () => 'bedrock-api-key-1234',
    options: { region: 'eu-west-1' },
    path: '/model/amazon.nova-pro-v1%3A0/converse',
    header: ['authorization', /^Bearer bedrock-api-key-1234$/],
  },
  {
    provider: 'anthropic.bedrock',
    model: 'anthropic.claude-sonnet-4-v1:0',
    base: '',
    secret: () => AWS_KEY,
    options: { region: 'eu-west-1' },
    path: '/model/anthropic.claude-sonnet-4-v1%3A0/invoke',
    header: SIGNED,
  },
  { provider: 'cohere', model: 'command-a', base: '', path: '/v2/chat', header: BEARER },
  { provider: 'mistral', model: 'mistral-small', base: '/v1', path: '/v1/chat/completions', header: BEARER },
  { provider: 'openrouter', model: 'x/y', base: '/api/v1', path: '/api/v1/chat/completions', header: BEARER },
  { provider: 'huggingface', model: 'x/y', base: '/v1', path: '/v1/chat/completions', header: BEARER },
  { provider: 'vllm', model: 'my-llama', base: '/v1', path: '/v1/chat/completions', header: BEARER },
];

const text = (said: string) => [{ type: 'text', text: said }];
const PROMPT = {
  type: 'chat',
  messages: [
    { role: 'system', content: text('Answer shortly.') },
    { role: 'user', content: text('What is {thing}?') },
  ],
};
const INSTRUCTIONS = {
  type: 'chat',
  messages: [
    { role: 'system', content: text('Answer shortly.') },
    { role: 'system', content: text('Tell me of {thing}.') },
  ],
};
const COMPLETION = { type: 'completion', content: text('Tell me of {thing}.') };

const inline = (prompt: object, provider: string, model: string, more: object = {}) => ({
  inline: true,
  prompt_template: prompt,
  metadata: { model: { provider, name: model, parameters: {}, ...more } },
});

/** Cell of a column that asks a model of the vendor about a thing. */
async function ask({ provider, model, apiType }: Vendor, thing: string, prompt: object = PROMPT): Promise<Metered> {
  const sheet = await newSheet(me, [thing]);
  const column = await addColumn(me, sheet, {
    title: 'Answer',
    type: 'PROMPT_TEMPLATE',
    config: {
      inline_template: inline(prompt, provider, model, apiType ? { api_type: apiType } : {}),
      prompt_template_variable_mappings: { thing: 'Column A' },
    },
  });
  await settled(me, sheet);
  return ((await cellsOf(me, sheet, column.id)) as Metered[])[0]!;
}

describe.each(VENDORS)('a model of $provider ($path)', (vendor) => {
  let credential: ModelCredential;
  beforeAll(async () => {
    const { provider, base, options = {} } = vendor;
    const secret = vendor.secret?.() ?? KEY;
    credential = await addCredential(me, {
      name: vendor.path,
      provider,
      base_url: vendors.url + base,
      secret,
      options,
    });
  });
  afterAll(() => me.delete(`${CREDENTIALS}/${credential.id}`));

  it('is called in the words of its vendor, and its answer, tokens and price are read', async () => {
    const cell = await ask(vendor, 'rain');
    expect(cell).toMatchObject({ status: 'completed', value: 'You said: What is rain?' });
    expect(cell.request_metrics).toMatchObject({
      request_count: 1,
      input_tokens: USAGE.input,
      output_tokens: USAGE.output,
    });
    const asked = vendors.calls.at(-1)!;
    expect(asked.path).toBe(vendor.path);
    const [name, value] = vendor.header;
    expect(asked.headers[name]).toMatch(value);
    expect(JSON.stringify(asked.body)).toContain('Answer shortly.');

    const [id] = (cell.request_metrics as { request_ids: number[] }).request_ids;
    const log = (await me.get(`/api/public/v2/requests/${id}`)) as Record<string, unknown>;
    const { provider, model } = vendor;
    expect(log).toMatchObject({ provider, model });
  });

  it('answers a prompt of nothing but instructions', async () => {
    const cell = await ask(vendor, 'hail', INSTRUCTIONS);
    expect(cell).toMatchObject({ status: 'completed', value: 'You said: Tell me of hail.' });
    const asked = vendors.calls.at(-1)!;
    expect(asked.path).toBe(vendor.path);
    expect(JSON.stringify(asked.body)).toContain('Answer shortly.');
    const [id] = (cell.request_metrics as { request_ids: number[] }).request_ids;
    const log = await me.get(`/api/public/v2/requests/${id}`);
    expect(JSON.stringify(log)).toContain('Answer shortly.');
  });

  it('that refuses the key fails the cell, which names the credential', async () => {
    vendors.reply = ({ path }) =>
      path === '/token' ? { text: '' } : { status: 401, message: 'The key is not known here.' };
    const cell = await ask(vendor, 'snow');
    expect(cell).toMatchObject({ status: 'error', value: null });
    expect(cell.error_message).toContain(`${vendor.provider} answered 401: The key is not known here.`);
    expect(cell.error_message).toContain(`credential "${vendor.path}"`);
  });
});

it('a completion of Anthropic is a message: its older endpoint knows no model of today', async () => {
  const { id } = await addCredential(me, { provider: 'anthropic', base_url: vendors.url });
  const vendor = VENDORS.find(({ provider }) => provider === 'anthropic')!;
  expect(await ask(vendor, 'fog', COMPLETION)).toMatchObject({ value: 'You said: Tell me of fog.' });
  expect(vendors.calls.at(-1)).toMatchObject({
    path: '/v1/messages',
    body: { messages: [{ role: 'user', content: text('Tell me of fog.') }] },
  });
  await me.delete(`${CREDENTIALS}/${id}`);
});
