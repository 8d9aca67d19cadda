export { Convention } from './conventions/conventions.js';
export type { Reading, TraceConvention } from './conventions/convention.js';
export type { NormalizedSpan } from './span.js';
export { Span, SpanSourceRecord } from './span.entity.js';
export { Trace } from './trace.entity.js';
export { TracesModule } from './traces.module.js';
export { traceEntities } from './entities.js';
export { linkLogToSpan } from './ingestion/links.queries.js';
