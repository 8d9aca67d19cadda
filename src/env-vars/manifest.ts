import { defineDomain } from '../platform/domain.js';
import { EnvVar } from './env-var.entity.js';
import { placeOf } from './env-var-store.js';
import { EnvVarsModule } from './env-vars.module.js';

defineDomain('env-vars', {
  holds: 'Environment variables for the code of tools, of a workspace and of single tools; encrypted',
  uses: [],
  module: () => EnvVarsModule,
  entities: [EnvVar],
  secrets: [
    {
      what: 'environment variables',
      table: 'env_vars',
      column: 'value',
      placeOf: ({ workspace_id: workspaceId, tool_id: toolId, key }) =>
        placeOf({ workspaceId: Number(workspaceId), toolId: Number(toolId), key: String(key) }),
    },
  ],
  tags: [
    {
      name: 'Environment variables',
      description:
        'Secrets and settings that the code of tools finds in its environment. Their values never leave the server.',
      order: 72,
    },
  ],
});
