import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { RetentionPolicy } from './retention-policy.entity.js';
import { RetentionModule } from './retention.module.js';

const settings = {
  receiptRetentionDays: integer('RECEIPT_RETENTION_DAYS', {
    fallback: '7',
    min: 1,
    max: 3650,
    description: 'Days for which the receipts of ingestion, and counts of what was refused, are kept.',
  }),
};

const counters = {
  rowsExpired: {
    name: 'tracesheet_rows_expired_total',
    help: 'What was deleted because a workspace keeps it no longer: traces, spans, request_logs.',
    labelNames: ['kind'],
    worry: 'It does not grow although a workspace limits how long it keeps data.',
  },
} as const satisfies CounterDefinitions;

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../platform/telemetry/metrics.js' {
  interface Counters extends CountersOf<typeof counters> {}
}

defineDomain('retention', {
  holds: 'How many days a workspace keeps traces and request logs, and the sweep that deletes older ones',
  uses: ['requests', 'traces', 'words'],
  module: (process) => RetentionModule.for(process),
  entities: [RetentionPolicy],
  tags: [{ name: 'Retention', description: 'For how long a workspace keeps traces and request logs.', order: 180 }],
  settings,
  counters,
});
