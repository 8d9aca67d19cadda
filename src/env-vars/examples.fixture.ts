import type { Examples } from '../../test/support/examples.js';

const ENV_VARS = '/api/public/v2/env-vars';

export default {
  unknown: { var_id: 999_999 },
  bodies: {
    [`POST ${ENV_VARS}`]: { key: 'MINE' },
    [`PATCH ${ENV_VARS}/{var_id}`]: { value: 'mine' },
  },
  async create({ me }) {
    const created = (await me.post(ENV_VARS, { key: 'GREETING', value: 'a-value-for-an-example' }, 201)) as {
      workspace_env_var: { id: number };
    };
    return { var_id: created.workspace_env_var.id };
  },
} satisfies Examples;
