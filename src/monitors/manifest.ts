import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import type { GaugeDefinitions, LabelsOf } from '../platform/telemetry/gauges.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { MonitorAlert } from './monitor-alert.entity.js';
import { Monitor } from './monitor.entity.js';
import { MonitorsModule } from './monitors.module.js';
import { countOpenAlerts, oldestDueMonitor } from './open-alerts.queries.js';

const settings = {
  maxMonitors: integer('MONITORS_MAX', {
    fallback: '1000',
    min: 1,
    max: 100_000,
    description: 'Most monitors a workspace may have.',
  }),
  monitorDelaySeconds: integer('MONITOR_DELAY_SECONDS', {
    fallback: '60',
    min: 0,
    max: 3600,
    description:
      'How long monitors wait after the end of a window for requests and traces that arrive late, in seconds.',
  }),
};

const counters = {
  monitorEvaluations: {
    name: 'tracesheet_monitor_evaluations_total',
    help: 'Evaluations of monitors by outcome: done, failed (its filter or its reads have a problem).',
    labelNames: ['outcome'],
    worry:
      '`failed` grows: monitors cannot be read, mostly because their filters take too long. `problem` of the monitor has the reason.',
  },
  monitorAlerts: {
    name: 'tracesheet_monitor_alerts_total',
    help: 'Alerts of monitors by change: opened, closed.',
    labelNames: ['change'],
    worry: 'Many are opened and closed within an hour: a limit or `closes_after_minutes` is too small.',
  },
} as const satisfies CounterDefinitions;

const gauges = {
  openAlerts: {
    name: 'tracesheet_monitor_alerts_open',
    help: 'Alerts of monitors that are open. Every process shows the same.',
    labelNames: [],
    worry: 'It stays above 0 for long: nobody looks at what the monitors found.',
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

defineDomain('monitors', {
  holds: 'Monitors of requests and traces: limits, comparisons with earlier weeks, alerts',
  uses: ['events', 'llm', 'prompts', 'requests', 'rollups', 'traces'],
  module: (process) => MonitorsModule.for(process),
  entities: [Monitor, MonitorAlert],
  tags: [{ name: 'Monitors', description: 'Alerts when requests or traces are not as they should be.', order: 155 }],
  settings,
  counters,
  gauges,
  readings: { oldestWork: [oldestDueMonitor], openAlerts: [countOpenAlerts] },
});
