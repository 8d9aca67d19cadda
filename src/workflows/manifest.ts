import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { RUN_END_ROWS } from './runs/run-end-work.js';
import { Workflow, WorkflowLabel, WorkflowVersion } from './registry/workflow.entity.js';
import { WorkflowRun, WorkflowRunEnd, WorkflowRunSheet } from './runs/workflow-run.entity.js';
import { WorkflowsModule } from './workflows.module.js';

const permissions = ['WORKFLOW_CREATE', 'WORKFLOW_EDIT', 'WORKFLOW_DELETE', 'WORKFLOW_DEPLOY'] as const;

const settings = {
  callbackTimeoutMs: integer('CALLBACK_TIMEOUT_MS', {
    fallback: '10000',
    min: 50,
    max: 60_000,
    description: 'Longest time that the callback_url of a run of a workflow may take to answer, in milliseconds.',
  }),
  callbackBackoffMs: integer('CALLBACK_BACKOFF_MS', {
    fallback: '5000',
    min: 1,
    max: 60_000,
    description:
      'Wait before the second try to call the callback_url of a run, in milliseconds. Every further wait is three times as long; there are 8 tries.',
  }),
};

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('workflows', {
  holds: 'Graphs of nodes with versions and labels, and their runs, which are rows of sheets',
  uses: [
    'column-types',
    'entity-lists',
    'events',
    'external-ids',
    'folders',
    'grid',
    'live',
    'registry',
    'storage',
    'tables',
    'traces',
  ],
  module: (process) => WorkflowsModule.for(process),
  entities: [Workflow, WorkflowLabel, WorkflowVersion, WorkflowRunSheet, WorkflowRun, WorkflowRunEnd],
  tags: [
    {
      name: 'Workflows',
      description: 'Versioned graphs of nodes, each of which computes like a column of a sheet.',
      order: 76,
    },
  ],
  permissions,
  settings,
  readings: { oldestWork: [oldestRow(RUN_END_ROWS)] },
});
