import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { RUN_ROWS } from './runs/run-work.js';
import { EvaluationsModule } from './evaluations.module.js';
import { Report, ReportColumn } from './reports/report.entity.js';

const permissions = ['REPORT_CREATE', 'REPORT_EDIT', 'REPORT_DELETE'] as const;

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

defineDomain('evaluations', {
  holds: 'The older evaluations: pipelines (reports), their runs and scores. Their sheets are sheets of the grid',
  uses: [
    'column-types',
    'datasets',
    'entity-lists',
    'events',
    'external-ids',
    'folders',
    'grid',
    'prompts',
    'scoring',
    'storage',
    'tables',
  ],
  module: (process) => EvaluationsModule.for(process),
  entities: [Report, ReportColumn],
  tags: [
    {
      name: 'Evaluations',
      description:
        'Pipelines that compute columns over a dataset, and their runs. Sheets of tables are their successors.',
      order: 165,
    },
  ],
  permissions,
  readings: { oldestWork: [oldestRow(RUN_ROWS)] },
});
