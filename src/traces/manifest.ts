import { defineDomain } from '../platform/domain.js';
import { oldestWaitingTrace, traceSearchLag } from './search/trace-search-lag.queries.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { traceEntities } from './entities.js';
import { TracesModule } from './traces.module.js';

const counters = {
  spansIngested: {
    name: 'tracesheet_spans_ingested_total',
    help: 'Spans by outcome: stored, merged, unchanged, superseded, closed, refused.',
    labelNames: ['outcome'],
    worry: '`refused` or `closed` grow: senders send what cannot be stored, or to traces that are closed.',
  },
  spanBatches: {
    name: 'tracesheet_span_batches_total',
    help: 'Transactions of spans by how they were written: fast (expected to be new, and were), refused (were not) or merged.',
    labelNames: ['path'],
    worry: '`refused` is more than a few in a hundred for long: the fast path costs more than it saves.',
  },
} as const satisfies CounterDefinitions;

declare module '../platform/telemetry/metrics.js' {
  interface Counters extends CountersOf<typeof counters> {}
}

defineDomain('traces', {
  holds: 'OTLP and bulk spans, the ingestion pipeline, receipts, search, analytics',
  uses: [
    'arrivals',
    'charts',
    'live',
    'llm',
    'prompts',
    'requests',
    'rollups',
    'storage',
    'text-search',
    'trace-conventions',
    'words',
  ],
  module: (process) => TracesModule.for(process),
  entities: traceEntities,
  tags: [
    { name: 'Ingestion', description: 'Send traces. Point OpenTelemetry exporters here.', order: 10 },
    { name: 'Traces', description: 'Read traces and spans.', order: 20 },
    { name: 'Sessions and users', description: 'Read conversations, and who has them.', order: 22 },
  ],
  counters,
  readings: { oldestWork: [oldestWaitingTrace], searchLag: [traceSearchLag] },
});
