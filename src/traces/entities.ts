import { TraceHour, TraceHourChange } from './histogram/trace-hours.entity.js';
import { SpanLogEvent } from './ingestion/log-event.entity.js';
import { LinkableSpan, LogClaim } from './ingestion/links.entity.js';
import { IngestReceipt } from './receipts/ingest-receipt.entity.js';
import { IngestRefusal } from './refusals/ingest-refusal.entity.js';
import { TraceScore } from './scores/trace-score.entity.js';
import { QueuedTrace, SpanSearch, TraceSearch } from './search/trace-search.entity.js';
import { Span, SpanSourceRecord } from './shared/span.entity.js';
import { Trace } from './shared/trace.entity.js';

export const traceEntities = [
  Trace,
  Span,
  SpanSourceRecord,
  LogClaim,
  LinkableSpan,
  SpanLogEvent,
  IngestReceipt,
  IngestRefusal,
  TraceSearch,
  SpanSearch,
  QueuedTrace,
  TraceHour,
  TraceHourChange,
  TraceScore,
];
