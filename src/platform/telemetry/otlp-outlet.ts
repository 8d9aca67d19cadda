import os from 'node:os';
import { Logger } from '@nestjs/common';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Config } from '../config/config.js';
import { VERSION } from '../version.js';
import type { Metrics } from './metrics.js';
import { headersIn } from './otlp-headers.js';
import { OWN_SPANS_HEADER, type SpanOutlet } from './span-outlet.js';

/** Longest wait for an unavailable receiver at the end of the process. */
const CLOSING_MS = 3000;
/** Shortest interval between warnings about an unavailable receiver. */
const TELL_EVERY_MS = 60_000;

/** Sends spans to the receiver in OTEL_EXPORTER_OTLP_ENDPOINT. Nothing is registered for the whole process. */
export function openOutlet(config: Config, metrics: Metrics, process: 'api' | 'worker'): SpanOutlet {
  const exporter = new OTLPTraceExporter({
    url: `${config.otlpEndpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...headersIn(config.otlpHeaders), [OWN_SPANS_HEADER]: '1' },
  });
  const resource = resourceFromAttributes({
    'service.name': `tracesheet-${process}`,
    'service.version': VERSION,
    'host.name': os.hostname(),
    'process.pid': globalThis.process.pid,
  });
  const processor = new BatchSpanProcessor(telling(exporter, metrics));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  return {
    tracer: provider.getTracer('tracesheet', VERSION),
    contextOf: (parent) => {
      if (typeof parent === 'object') return trace.setSpan(ROOT_CONTEXT, parent);
      const remote = parent === undefined ? null : spanIn(parent);
      return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
    },
    flush: () => provider.forceFlush(),
    close: () => endWithin(provider.shutdown(), CLOSING_MS),
  };
}

/** Counts exports and logs failures: the package itself is silent. */
function telling(exporter: SpanExporter, metrics: Metrics): SpanExporter {
  const log = new Logger('Tracing');
  let toldAt = -Infinity;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        metrics.counters.spansExported.inc({ outcome: result.code === 0 ? 'exported' : 'failed' }, spans.length);
        if (result.code !== 0 && performance.now() - toldAt > TELL_EVERY_MS) {
          toldAt = performance.now();
          log.warn(`Spans were not exported to OTEL_EXPORTER_OTLP_ENDPOINT: ${result.error?.message ?? 'no reason'}`);
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/** The span of a W3C trace context header; null for an invalid one. */
function spanIn(traceparent: string) {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  if (!traceId || /^0+$/.test(traceId) || /^0+$/.test(spanId!)) return null;
  return { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) & 1, isRemote: true };
}

async function endWithin(ending: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([ending.catch(() => undefined), time]);
  clearTimeout(timer);
}
