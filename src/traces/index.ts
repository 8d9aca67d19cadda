export { type OwnSpan, OwnSpans } from './ingestion/own-spans.js';
export { PricedSpans } from './ingestion/priced-spans.js';
export { ReportedLogs } from './ingestion/reported-logs.js';
export { countOldTraces, deleteOldTraces, deleteTraces } from './expiry/old-traces.queries.js';
export {
  countTraces,
  countWaitingTraces,
  eraseLogEvents,
  eraseSources,
  findReportedLogs,
  findSources,
  findTracesOfLogs,
  findTracesOfPerson,
  lastTraceChange,
  renewTraceHours,
} from './expiry/personal-traces.queries.js';
export { deleteOldLogEvents } from './expiry/old-log-events.queries.js';
export { deleteUnusedSources } from './expiry/unused-sources.queries.js';
export { RECEIPT_EXAMPLES } from './receipts/example-ids.js';
export { eraseFromReceipts } from './receipts/erase-receipts.queries.js';
export { TRACES } from './search/trace-document.js';
export { deleteOldReceipts, deleteOldRefusals } from './receipts/old-receipts.queries.js';
export { RefusalCounts } from './refusals/refusal-counts.js';
export { TraceFreshness } from './search/trace-freshness.js';
export { findTracesAmong } from './search/matches-among.js';
export { readTraceDetails, type TraceDetails } from './search/trace-details.queries.js';
export { traceConditions } from './search/trace-matches.js';
export { describeFields, TRACE_FILTER_GROUP } from './search/trace-fields.js';
export { type SpanTree, SpanTrees } from './trees/span-trees.service.js';
export { TraceSelection } from './selection.queries.js';
export { publishTraceScores, readTraceTexts, type TraceTexts } from './scores/trace-scores.queries.js';
export { TraceErrors } from './shared/traces.errors.js';
export { rolledFacets as rolledTraceFacets } from './histogram/rolled-facets.js';
export { TRACE_HOURS } from './shared/trace-hours.js';
export { readTraceQuery } from './search/trace-conditions.js';
export { facet as traceFacet } from './search/trace-facets.js';
export { FIRST_TOKEN_MS } from './details/first-token.js';
