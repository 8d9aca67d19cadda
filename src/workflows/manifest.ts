import { defineDomain } from '../platform/domain.js';
import { Workflow, WorkflowLabel, WorkflowVersion } from './registry/workflow.entity.js';
import { WorkflowsModule } from './workflows.module.js';

const permissions = ['WORKFLOW_CREATE', 'WORKFLOW_EDIT', 'WORKFLOW_DELETE', 'WORKFLOW_DEPLOY'] as const;

declare module '../access/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('workflows', {
  holds: 'Workflows: graphs of nodes in versions with labels',
  uses: ['entity-lists', 'external-ids', 'folders', 'tables'],
  module: () => WorkflowsModule,
  entities: [Workflow, WorkflowLabel, WorkflowVersion],
  tags: [
    {
      name: 'Workflows',
      description: 'Versioned graphs of nodes, each of which computes like a column of a sheet.',
      order: 76,
    },
  ],
  permissions,
});
