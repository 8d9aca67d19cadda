import type { Examples } from '../../test/support/examples.js';

const PROVIDERS = '/api/admin/v1/identity-providers';

export default {
  unknown: { identity_provider: 'nowhere', identity_id: 999_999 },
  bodies: {
    [`POST ${PROVIDERS}`]: { slug: 'mine', name: 'Mine', issuer: 'https://login.invalid', client_id: 'tracesheet' },
    [`PATCH ${PROVIDERS}/{identity_provider}`]: { name: 'Mine' },
  },
  async create({ operator }) {
    // The name leads nowhere, and nobody can sign in with it.
    const body = { slug: 'example', name: 'Example', issuer: 'https://login.invalid', client_id: 'c', enabled: false };
    const { status } = await operator.request('POST', PROVIDERS, body);
    if (![201, 409].includes(status)) throw new Error(`The provider was not created: ${status}.`);
    // Keys of programs have no identities: this id is that of nobody.
    return { identity_provider: 'example', identity_id: 1 };
  },
} satisfies Examples;
