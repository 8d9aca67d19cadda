import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import { tableEntities } from './entities.js';
import { REGRESSION_ROWS } from './regressions/regression-work.js';
import { SCORECARD_ROWS } from './scorecards/scorecard-work.js';
import { TablesModule } from './tables.module.js';

const permissions = ['TABLE_CREATE', 'TABLE_EDIT', 'TABLE_DELETE'] as const;

const settings = {
  recalculationConfirmThreshold: integer('TABLES_RECALC_CONFIRM_THRESHOLD', {
    fallback: '1000',
    min: 0,
    max: 1_000_000_000,
    description: 'Recalculating more cells than this needs a confirmation.',
  }),
};

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

defineDomain('tables', {
  holds: 'Tables and their sheets: routes, sheets of other owners, scorecards, regressions, exports',
  uses: [
    'column-types',
    'events',
    'folders',
    'grid',
    'imports',
    'live',
    'prompts',
    'registry',
    'requests',
    'scoring',
    'storage',
    'traces',
  ],
  module: (process) => TablesModule.for(process),
  entities: tableEntities,
  tags: [
    { name: 'Tables', description: 'Named sets of sheets.', order: 80 },
    { name: 'Sheets', description: 'Grids of rows and columns.', order: 90 },
    { name: 'Imports', description: 'Bring request logs into a sheet.', order: 100 },
    { name: 'Columns', description: 'Columns that people fill and columns that compute.', order: 110 },
    { name: 'Rows', description: 'Read and add rows.', order: 120 },
    { name: 'Cells', description: 'Read and write single cells.', order: 130 },
    { name: 'Computation', description: 'Recalculate cells and watch the progress.', order: 140 },
    { name: 'Versions', description: 'Read, compare and restore earlier versions of sheets.', order: 150 },
    { name: 'Scores', description: 'How good a sheet is, and how that has developed.', order: 155 },
    { name: 'Scorecards', description: 'Judge every row of a sheet by several criteria.', order: 157 },
  ],
  permissions,
  settings,
  readings: {
    oldestWork: [SCORECARD_ROWS, REGRESSION_ROWS].map((rows) => oldestRow(rows)),
  },
});
