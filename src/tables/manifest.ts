import { integer, type Setting, type SettingValues, text } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import type { GaugeDefinitions, LabelsOf } from '../platform/telemetry/gauges.js';
import { oldestRow } from '../platform/work/oldest-row.queries.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { tableEntities } from './entities.js';
import { MAX_ITERATIONS, MAX_TURNS } from './column-types/iteration-limits.js';
import { checkModelName } from './settings/model-name.js';
import { countWaitingCells, oldestWaitingCells } from './grid/computing/waiting-cells.queries.js';
import { IMPORT_ROWS } from './imports/import-work.js';
import { REGRESSION_ROWS } from './regressions/regression-work.js';
import { SCORECARD_ROWS } from './scorecards/scorecard-work.js';
import { SCORE_ROWS } from './scoring/score-work.js';
import { TablesModule } from './tables.module.js';

const permissions = ['TABLE_CREATE', 'TABLE_EDIT', 'TABLE_DELETE'] as const;

const model = (env: string, options: { fallback: string; description: string }): Setting<string> => ({
  ...text(env, options),
  read: checkModelName,
});

const settings = {
  computeConcurrency: integer('COMPUTE_CONCURRENCY', {
    fallback: '4',
    min: 1,
    max: 64,
    description: 'Chunks of cells one worker computes at the same time.',
  }),
  externalConcurrency: integer('EXTERNAL_CONCURRENCY', {
    fallback: '100',
    min: 1,
    max: 10_000,
    description:
      'Cells whose results come from outside (models, code, endpoints) that one worker computes at the same time.',
  }),
  externalConcurrencyPerWorkspace: integer('EXTERNAL_CONCURRENCY_PER_WORKSPACE', {
    fallback: '50',
    min: 1,
    max: 10_000,
    description: 'How many of them may be of one workspace.',
  }),
  externalTimeLimitMs: integer('EXTERNAL_TIME_LIMIT_MS', {
    fallback: '600000',
    min: 100,
    max: 86_400_000,
    description:
      'Longest time one cell whose result comes from outside may take, in milliseconds. Loops and simulated conversations may take an hour.',
  }),
  externalBackoffMs: integer('EXTERNAL_BACKOFF_MS', {
    fallback: '1000',
    min: 1,
    max: 60_000,
    description:
      'Wait before such a cell is tried again after a failure that may pass, in milliseconds, unless the service says how long. Every further wait is twice as long; there are 4 tries.',
  }),
  cellMemoDays: integer('CELL_MEMO_DAYS', {
    fallback: '30',
    min: 0,
    max: 3650,
    description: 'Days for which results from outside are reused for cells with the same inputs; 0 to never reuse one.',
  }),
  defaultModel: model('LLM_DEFAULT_MODEL', {
    fallback: 'openai/gpt-4.1-mini',
    description:
      'Model of columns that need one and name none, as `provider/model`, unless their workspace has set another.',
  }),
  embeddingModel: model('LLM_EMBEDDING_MODEL', {
    fallback: 'openai/text-embedding-3-small',
    description: 'Model that texts are embedded with, in the same way.',
  }),
  simulationTurns: integer('SIMULATION_TURNS', {
    fallback: '10',
    min: 1,
    max: MAX_TURNS,
    description: 'Most turns of a simulated conversation whose column does not say.',
  }),
  whileIterations: integer('WHILE_ITERATIONS', {
    fallback: '25',
    min: 1,
    max: MAX_ITERATIONS,
    description: 'Most iterations of a WHILE_LOOP whose column does not say.',
  }),
  maxRowsPerSheet: integer('TABLES_MAX_ROWS', {
    fallback: '100000',
    min: 1,
    max: 10_000_000,
    description: 'Most rows a sheet may have.',
  }),
  recalculationConfirmThreshold: integer('TABLES_RECALC_CONFIRM_THRESHOLD', {
    fallback: '1000',
    min: 0,
    max: 1_000_000_000,
    description: 'Recalculating more cells than this needs a confirmation.',
  }),
};

const counters = {
  cellsComputed: {
    name: 'tracesheet_cells_computed_total',
    help: 'Computed cells by column type and outcome.',
    labelNames: ['type', 'outcome'],
    worry: '`failed` is more than a tenth: a model or an endpoint refuses or is away.',
  },
} as const satisfies CounterDefinitions;

const gauges = {
  waitingCells: {
    name: 'tracesheet_waiting_cells',
    help: 'Cells that wait to be computed, by kind of work: cells (by the server itself), external_cells (by models and endpoints). Every process shows the same.',
    labelNames: ['kind'],
    worry: 'It does not fall while workers run: they do not come to an end with what they compute.',
  },
} as const satisfies GaugeDefinitions;

declare module '../access/roles/permissions.js' {
  interface Permissions extends Record<(typeof permissions)[number], true> {}
}

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../platform/telemetry/metrics.js' {
  interface Counters extends CountersOf<typeof counters> {}
}

declare module '../platform/telemetry/gauges.js' {
  interface Gauges extends LabelsOf<typeof gauges> {}
}

defineDomain('tables', {
  holds:
    'Sheets: the grid (rows, cells, versions, computation), and on it tables, column types, scores, scorecards, imports, exports',
  uses: [
    'events',
    'folders',
    'live',
    'llm',
    'mcp-servers',
    'prompts',
    'registry',
    'requests',
    'storage',
    'tools',
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
  counters,
  gauges,
  readings: {
    waitingCells: [countWaitingCells],
    oldestWork: [
      oldestWaitingCells,
      ...[IMPORT_ROWS, SCORE_ROWS, SCORECARD_ROWS, REGRESSION_ROWS].map((rows) => oldestRow(rows)),
    ],
  },
});
