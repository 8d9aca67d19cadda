import { bulkBody, bulkSpan, loggedCall } from '../support/bulk.js';
import { envelope, llmSpan, span, spanId, text, traceId } from '../support/otlp.js';

export const SPANS_PER_TRACE = 20;
/** Spans of a trace that become request logs. */
export const CALLS_PER_TRACE = 8;

const CLIENTS = 6;
const RETRY_PAUSE_MS = 20;
const TIMES = { request_start_time: '2026-11-01T10:00:00Z', request_end_time: '2026-11-01T10:00:01Z' };

/** A way of reporting calls. */
export interface Reporting {
  path: string;
  /** A new body, and the id by which the test recognises it once it is acknowledged. */
  next: () => { id: string; body: string };
  /** Id of the acknowledged data, when only the answer has it. */
  idOf?: (answer: unknown) => string;
}

/** A trace of spans, some of them calls, as OpenTelemetry exporters send it. */
export const OTLP: Reporting = {
  path: '/v1/traces',
  next: () => {
    const id = traceId();
    return { id, body: JSON.stringify(envelope(trace(id))) };
  },
};

/** Traces of one call each, as many as an exporter sends together. */
export const CALLS_PER_BATCH = 500;
export const BATCHES: Reporting = {
  path: '/v1/traces',
  next: () => {
    const id = traceId();
    const calls = Array.from({ length: CALLS_PER_BATCH }, (_, index) => llmSpan({ output: `${id} ${index}` }));
    return { id, body: JSON.stringify(envelope(calls)) };
  },
};

/** The same as bulk spans. */
export const BULK: Reporting = {
  path: '/spans-bulk',
  next: () => {
    const id = traceId();
    return { id, body: bulkBody(bulkTrace(id)) };
  },
};

/** One call without a trace. A call that is sent again is another call: only the answer says which one counts. */
export const CALLS: Reporting = {
  path: '/log-request',
  next: () => ({ id: '', body: JSON.stringify({ ...loggedCall(), ...TIMES }) }),
  idOf: (answer) => String((answer as { id: number }).id),
};

/**
 * Clients that report one thing after the other and, like an OpenTelemetry exporter, send it again after a 503 or a lost
 * connection until it is acknowledged.
 */
export class RequestLoad {
  /** Ids of acknowledged data. */
  readonly acknowledged: string[] = [];
  /** Number of answers by status. */
  readonly statuses = new Map<number, number>();
  /** Attempts that ended without an answer. */
  lostConnections = 0;
  /** 503 answers that did not say when to come back. */
  withoutRetryAfter = 0;

  private stopping = false;
  private abandoned = false;
  private readonly clients: Promise<void>[];

  constructor(
    private readonly server: { url: string; apiKey: string },
    private readonly reporting: Reporting,
    clients = CLIENTS,
  ) {
    this.clients = Array.from({ length: clients }, () => this.client());
  }

  countOf(status: number): number {
    return this.statuses.get(status) ?? 0;
  }

  /** Sends no further traces and waits until those under way are acknowledged. */
  async finish(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.clients);
  }

  /** Ends the clients at once, acknowledged or not: for a test that failed. */
  async abandon(): Promise<void> {
    this.abandoned = true;
    await this.finish();
  }

  private async client(): Promise<void> {
    while (!this.stopping) {
      const { id, body } = this.reporting.next();
      let answer = await this.attempt(body);
      while (answer === null) {
        if (this.abandoned) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
        answer = await this.attempt(body);
      }
      this.acknowledged.push(this.reporting.idOf?.(answer) ?? id);
    }
  }

  /** null when it was not acknowledged. */
  private async attempt(body: string): Promise<unknown> {
    try {
      const headers = { 'content-type': 'application/json', 'x-api-key': this.server.apiKey };
      const response = await fetch(`${this.server.url}${this.reporting.path}`, { method: 'POST', headers, body });
      const answer: unknown = await response.json();
      this.statuses.set(response.status, this.countOf(response.status) + 1);
      if (response.status === 503 && !response.headers.has('retry-after')) this.withoutRetryAfter++;
      return response.ok ? answer : null;
    } catch {
      this.lostConnections++;
      return null;
    }
  }
}

function trace(id: string): object[] {
  const root = spanId();
  return Array.from({ length: SPANS_PER_TRACE }, (_, index) => {
    const place = index === 0 ? { traceId: id, spanId: root } : { traceId: id, parentSpanId: root };
    const isCall = index > 0 && index <= CALLS_PER_TRACE;
    return isCall
      ? llmSpan({ input: `Question ${index}` }, place)
      : span({ ...place, attributes: [text('step', 'x')] });
  });
}

function bulkTrace(id: string): object[] {
  const root = spanId();
  return Array.from({ length: SPANS_PER_TRACE }, (_, index) => {
    const context = { trace_id: id, span_id: index === 0 ? root : spanId() };
    const isCall = index > 0 && index <= CALLS_PER_TRACE;
    return bulkSpan({ parent_id: index === 0 ? null : root, ...(isCall && { log_request: loggedCall() }) }, context);
  });
}
