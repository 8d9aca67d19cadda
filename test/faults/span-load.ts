import { envelope, llmSpan, span, spanId, text, traceId } from '../support/otlp.js';

export const SPANS_PER_TRACE = 20;
/** Spans of a trace that become request logs. */
export const CALLS_PER_TRACE = 8;

const CLIENTS = 6;
const RETRY_PAUSE_MS = 20;

/**
 * Clients that send one trace after the other and, like an OpenTelemetry exporter, send it again after a 503 or a lost
 * connection until it is acknowledged.
 */
export class SpanLoad {
  /** Ids of the traces whose request was answered with 200. */
  readonly acknowledged: string[] = [];
  /** How often each status was answered. */
  readonly statuses = new Map<number, number>();
  /** Attempts that ended without an answer. */
  lostConnections = 0;
  /** 503 answers that did not say when to come back. */
  withoutRetryAfter = 0;

  private stopping = false;
  private abandoned = false;
  private readonly clients: Promise<void>[];

  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {
    this.clients = Array.from({ length: CLIENTS }, () => this.client());
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
      const id = traceId();
      const body = JSON.stringify(envelope(trace(id)));
      while (!(await this.attempt(body))) {
        if (this.abandoned) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
      }
      this.acknowledged.push(id);
    }
  }

  private async attempt(body: string): Promise<boolean> {
    try {
      const headers = { 'content-type': 'application/json', 'x-api-key': this.apiKey };
      const response = await fetch(`${this.url}/v1/traces`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      this.statuses.set(response.status, this.countOf(response.status) + 1);
      if (response.status === 503 && !response.headers.has('retry-after')) this.withoutRetryAfter++;
      return response.ok;
    } catch {
      this.lostConnections++;
      return false;
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
