import { defineErrors } from '../errors/problem.js';

export const SecretErrors = defineErrors({
  secrets_key_missing: {
    status: 400,
    message: 'This installation cannot keep secrets yet: its operator must set SECRETS_KEY.',
  },
});
