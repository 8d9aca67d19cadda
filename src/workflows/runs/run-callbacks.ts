import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { OutboundClient, OutboundFailure } from '../../platform/outbound/outbound.client.js';
import { waitAfter } from '../../platform/queue/retries.js';
import { afterGrace } from '../../platform/work/grace.js';
import type { WorkAborted } from '../../platform/work/work-kind.js';

/** How much of an answer is read. */
const ANSWER_BYTES = 1024;
/** This share of the time that a stop may take is left to servers that have yet to answer. */
const GRACE = 0.2;

/** Delivers the results of runs to the servers of clients. */
@Injectable()
export class RunCallbacks {
  constructor(
    private readonly outbound: OutboundClient,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Why it was not delivered. Rejects when it was aborted: then it counts as no try. */
  async send(url: string, body: string, signal: AbortSignal): Promise<string | null> {
    const inFlight = new AbortController();
    const end = (reason: WorkAborted) => inFlight.abort(reason);
    const stopListening = afterGrace(signal, this.config.shutdownTimeoutMs, end, GRACE);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      'User-Agent': 'Tracesheet',
    };
    const limits = {
      timeoutMs: this.config.callbackTimeoutMs,
      maxResponseBytes: ANSWER_BYTES,
      signal: inFlight.signal,
    };
    try {
      const { status } = await this.outbound.send({ url, method: 'POST', headers, body, ...limits });
      return status >= 200 && status < 300 ? null : `it answered ${status}`;
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      return error.message;
    } finally {
      stopListening();
    }
  }

  /** Milliseconds until the next try; null after the last one. */
  waitAfter(tries: number): number | null {
    return waitAfter(tries, this.config.callbackBackoffMs);
  }
}
