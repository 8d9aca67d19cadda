import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import type { GaugeDefinitions, LabelsOf } from '../platform/telemetry/gauges.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { countWaitingCells, oldestWaitingCells } from './computing/waiting-cells.queries.js';
import { gridEntities } from './entities.js';
import { GridModule } from './grid.module.js';

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
      'Longest time one cell whose result comes from outside may take, in milliseconds. Loops and simulated conversations may take an hour. Code is limited by CODE_TIME_LIMIT_MS, a workflow by the limits of its nodes.',
  }),
  externalBackoffMs: integer('EXTERNAL_BACKOFF_MS', {
    fallback: '1000',
    min: 1,
    max: 60_000,
    description:
      'Wait before such a cell is tried again after a failure that may pass, in milliseconds; half of it is random. Every further wait is twice as long; there are 4 tries. A service that says how long to wait is asked up to 100 times more, within a day.',
  }),
  cellMemoDays: integer('CELL_MEMO_DAYS', {
    fallback: '30',
    min: 0,
    max: 3650,
    description: 'Days for which results from outside are reused for cells with the same inputs; 0 to never reuse one.',
  }),
  maxRowsPerSheet: integer('TABLES_MAX_ROWS', {
    fallback: '100000',
    min: 1,
    max: 10_000_000,
    description: 'Most rows a sheet may have.',
  }),
};

const counters = {
  cellsComputed: {
    name: 'tracesheet_cells_computed_total',
    help: 'Computed cells by column type and outcome: completed, failed, reused, unchanged.',
    labelNames: ['type', 'outcome'],
    worry: '`failed` is more than a tenth: a model or an endpoint refuses or is away.',
  },
} as const satisfies CounterDefinitions;

const gauges = {
  waitingCells: {
    name: 'tracesheet_waiting_cells',
    help: 'Cells that wait to be computed, by kind of work: cells (by the server itself), external_cells (by models, code, endpoints and tools). Every process shows the same.',
    labelNames: ['kind'],
    worry: 'It does not fall while workers run: they do not come to an end with what they compute.',
  },
} as const satisfies GaugeDefinitions;

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../platform/telemetry/metrics.js' {
  interface Counters extends CountersOf<typeof counters> {}
}

declare module '../platform/telemetry/gauges.js' {
  interface Gauges extends LabelsOf<typeof gauges> {}
}

defineDomain('grid', {
  holds: 'Rows, columns, cells, states and versions of the sheets of all owners, and the computation of cells',
  uses: ['events', 'llm', 'prompts', 'requests', 'tools', 'traces'],
  vocabulary: true,
  module: (process) => GridModule.for(process),
  entities: gridEntities,
  settings,
  counters,
  gauges,
  readings: {
    waitingCells: [countWaitingCells],
    oldestWork: [oldestWaitingCells],
  },
});
