import type { Registry } from 'prom-client';

const PREFIX = 'tracesheet_';

/** Metrics that had no prefix up to 0.2.0. The release after the next one no longer shows them: delete this file then. */
const RENAMED = [
  'cells_computed_total',
  'database_connections',
  'events_consumed_total',
  'exported_spans_total',
  'http_request_duration_seconds',
  'live_connections_ended_total',
  'live_messages_total',
  'queues_up',
  'rows_expired_total',
  'slow_cells_total',
  'slow_statements_total',
  'span_batches_total',
  'spans_ingested_total',
  'storage_refusals_total',
  'storage_warnings_total',
  'work_claims_total',
];

const NAMES = new RegExp(`^(# HELP |# TYPE |)${PREFIX}`, 'gm');

/** The renamed metrics under their former names, for existing dashboards and alerts. */
export async function readFormerNames(registry: Registry): Promise<string> {
  const texts = await Promise.all(RENAMED.map((name) => registry.getSingleMetricAsString(PREFIX + name)));
  return texts.map((text) => `\n${text.replace(NAMES, '$1')}\n`).join('');
}
