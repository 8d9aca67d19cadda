import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { MadeCall } from '../llm/index.js';
import type { LlmCall } from '../llm/records/llm-call.js';
import type { Outcome } from '../llm/records/outcome.js';
import { ModelPrices } from '../requests/index.js';
import { OwnSpans } from '../traces/index.js';

/** The called model in the terms of the request, and the prompt. */
export type CalledModel = Pick<LlmCall, 'provider' | 'model' | 'apiType' | 'prompt' | 'promptInputVariables'>;

export interface TrialCall {
  workspaceId: number;
  traceId: string;
  called: CalledModel;
}

export interface LoggedTrial {
  /** null when the log could not be stored. */
  requestId: number | null;
  /** US dollars; null when no price is known. */
  price: number | null;
}

/** Ids of traces and spans are random hexadecimal digits. */
export const newTraceId = (): string => randomUUID().replaceAll('-', '');

/** Stores every call of a trial as a request log with a trace of the origin `trial`. */
@Injectable()
export class TrialLogs {
  private readonly log = new Logger(TrialLogs.name);

  constructor(
    private readonly spans: OwnSpans,
    private readonly prices: ModelPrices,
  ) {}

  /** Stores a call. Never rejects: clients get an answer that was paid for even if its log cannot be stored. */
  async store({ workspaceId, traceId, called }: TrialCall, made: MadeCall, outcome: Outcome): Promise<LoggedTrial> {
    const { functionName, reading, startMs, endMs } = made;
    const { answeredBy, input, output, parameters, usage, price: reportedPrice } = reading;
    const said = { answeredBy, input, output, parameters, usage, reportedPrice };
    const call: LlmCall = { ...called, functionName, ...said, ...outcome, tags: [], metadata: {} };
    const price = this.prices.costOf(workspaceId, call, startMs);
    const span = {
      traceId,
      spanId: newTraceId().slice(16),
      parentId: null,
      name: functionName || called.model,
      startMs,
      endMs,
      error: outcome.errorMessage,
      attributes: {},
      call,
    };
    try {
      const [requestId = null] = await this.spans.store({ workspaceId, origin: 'trial' }, [span]);
      return { requestId, price };
    } catch (error) {
      this.log.warn(`The log of a trial could not be stored: ${String(error)}`);
      return { requestId: null, price };
    }
  }
}
