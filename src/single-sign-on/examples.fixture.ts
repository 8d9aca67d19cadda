import type { Examples } from '../../test/support/examples.js';

const PROVIDERS = '/api/admin/v1/identity-providers';

export default {
  unknown: { identity_provider: 'nowhere', identity_id: 999_999 },
  bodies: {
    [`POST ${PROVIDERS}`]: { slug: 'mine', name: 'Mine', issuer: 'https://login.invalid', client_id: 'tracesheet' },
    [`PATCH ${PROVIDERS}/{identity_provider}`]: { name: 'Mine' },
  },
  async create({ operator }) {
    // A reserved name that never resolves, so sign-ins fail.
    const body = { slug: 'example', name: 'Example', issuer: 'https://login.invalid', client_id: 'c', enabled: false };
    const { status } = await operator.request('POST', PROVIDERS, body);
    if (![201, 409].includes(status)) throw new Error(`The provider was not created: ${status}.`);
    // Keys of programs have no identities, so this id does not exist.
    return { identity_provider: 'example', identity_id: 1 };
  },
} satisfies Examples;
