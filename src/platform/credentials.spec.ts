import { expect, it } from 'vitest';
import { withoutCredentials } from './credentials.js';

it('leaves credentials out, however they are spelled and however deep they lie', () => {
  const given = {
    model: 'm',
    api_key: 'secret',
    apiKey: 'secret',
    'api-key': 'secret',
    Authorization: ['secret'],
    extra_headers: { 'X-API-KEY': 'secret', 'x-goog-api-key': 'secret', accept: '*/*' },
    tools: [{ type: 'mcp', authorization: 'secret', server_label: 's' }],
    aws_secret_access_key: { value: 'secret' },
  };
  expect(withoutCredentials(given)).toEqual({
    model: 'm',
    extra_headers: { accept: '*/*' },
    tools: [{ type: 'mcp', server_label: 's' }],
  });
});

it('keeps what only sounds like one: names of other things and properties of a schema', () => {
  const given = {
    keys: ['a'],
    api_keys_used: 3,
    authorizations: 1,
    parameters: { properties: { api_key: { type: 'string' } }, required: ['api_key'] },
  };
  expect(withoutCredentials(given)).toEqual(given);
  expect(withoutCredentials({ properties: { api_key: 'secret' } })).toEqual({ properties: {} });
});
