import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { StorageModule } from './storage.module.js';
import { WorkspaceStorage } from './workspace-storage.entity.js';

const settings = {
  workspaceMaxStoredBytes: integer('WORKSPACE_MAX_STORED_BYTES', {
    fallback: '0',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Bytes that every workspace may store, unless the operator gives it a limit of its own; 0 for any number.',
  }),
  workspaceMaxRows: integer('WORKSPACE_MAX_ROWS', {
    fallback: '0',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Rows of sheets that every workspace may have, unless the operator gives it a limit of its own; 0 for any number.',
  }),
};

const counters = {
  storageRefusals: {
    name: 'tracesheet_storage_refusals_total',
    help: 'Requests and imports refused because a workspace is full, by the limit: stored_bytes, rows.',
    labelNames: ['limit'],
    worry: 'It grows: a workspace loses data until it deletes some or gets a higher limit.',
  },
  storageWarnings: {
    name: 'tracesheet_storage_warnings_total',
    help: 'Counts of the bytes of a workspace that found at least 80 % of its limit.',
    labelNames: [],
    worry: 'It grows: the log says which workspace will soon be full.',
  },
} as const satisfies CounterDefinitions;

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../platform/telemetry/metrics.js' {
  interface Counters extends CountersOf<typeof counters> {}
}

defineDomain('storage', {
  holds: 'How much a workspace may store, and how much it does',
  uses: [],
  module: (process) => StorageModule.for(process),
  entities: [WorkspaceStorage],
  settings,
  counters,
});
