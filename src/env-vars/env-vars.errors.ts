import { defineErrors } from '../platform/errors/problem.js';

export const EnvVarErrors = defineErrors({
  env_var_not_found: {
    status: 404,
    message: (id: number) => `Environment variable ${id} was not found here.`,
  },
  env_var_exists: {
    status: 409,
    message: (key: string) => `There is an environment variable ${key} already. Change its value with PATCH.`,
  },
  env_var_too_many: {
    status: 400,
    message: (most: number) => `There can be at most ${most} environment variables here. Delete one that is not used.`,
  },
  env_var_unreadable: {
    status: 400,
    message: (key: string) =>
      `The value of the environment variable ${key} cannot be read with the SECRETS_KEY of this server. Set it anew.`,
  },
});
