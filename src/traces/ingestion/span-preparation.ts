import { Injectable, Logger } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { readableTexts } from '../../llm/messages/readable-json.js';
import { readablePrompt } from '../../llm/messages/readable-messages.js';
import type { LlmCall } from '../../llm/records/llm-call.js';
import { packCall } from '../../llm/records/packed-call.js';
import { ModelPrices } from '../../requests/index.js';
import {
  Conventions,
  managingSpanId,
  NO_ATTRIBUTES,
  type NormalizedSpan,
  readEmbedding,
  type Reading,
  readPriced,
  readResponseId,
  readSpanFacts,
  SpanAttributes,
} from '../../trace-conventions/index.js';
import { completeNumbers } from './call-numbers.js';
import {
  type CallNumbers,
  type GivenLog,
  type IncomingSpan,
  type SpanFacts,
  spanKeyOf,
  traceKeyOf,
} from './incoming-span.js';
import { hasUsage } from './nested/same-call.js';

/** A call that a client reports together with its span. */
export interface CallBeside extends GivenLog {
  call: LlmCall;
}

/** A span of the server's own work. */
export interface KnownSpan {
  span: NormalizedSpan;
  spanType: string;
  /** The call of a model that it is; null for other spans. */
  call: LlmCall | null;
}

/** Attributes that hold credentials: they are not stored. */
const SECRETS = ['llm.headers'];

/** Attributes that SDKs give their spans, some to each kind. */
const SDK_MARKS = ['node_type', 'function_name', 'function_input', 'function_output', 'prompt_name'];

/** Makes decoded spans ready to be written. */
@Injectable()
export class SpanPreparation {
  private readonly log = new Logger(SpanPreparation.name);

  constructor(
    private readonly conventions: Conventions,
    private readonly prices: ModelPrices,
  ) {}

  /** A span whose attributes decide, by some convention, whether it is a call of a model. */
  read({ workspaceId }: Pick<Caller, 'workspaceId'>, span: NormalizedSpan, closeAfter: boolean): IncomingSpan {
    span.attributes = span.attributes.without(SECRETS);
    const reading = this.readConvention(span);
    // The output is known when the call is over; until then the span is in progress and has no log.
    const call = reading?.kind === 'llm' && span.endNs !== null ? readableCall(reading.call) : null;
    const cost = call
      ? this.prices.costOf(workspaceId, call, startMsOf(span))
      : this.costOfEmbedding(workspaceId, span);
    const facts = factsOf(span, reading);
    const told = call ? null : this.toldOfOther(workspaceId, span);
    return incomingOf(workspaceId, span, { closeAfter, isConverted: true, call, given: null, cost, told, facts });
  }

  /** A span whose call, if there is one, came beside it. */
  combine(
    { workspaceId }: Caller,
    span: NormalizedSpan,
    { call: beside, closeAfter }: { call: CallBeside | null; closeAfter: boolean },
  ): IncomingSpan {
    span.attributes = span.attributes.without(SECRETS);
    const reading = this.readConvention(span);
    const facts = factsOf(span, reading);
    if (!beside) {
      const cost = this.costOfEmbedding(workspaceId, span);
      const told = this.toldOfOther(workspaceId, span);
      return incomingOf(workspaceId, span, {
        closeAfter,
        isConverted: false,
        call: null,
        given: null,
        cost,
        told,
        facts,
      });
    }
    const { call, ...given } = beside;
    const startMs = given.startMs ?? startMsOf(span);
    if (reading?.kind === 'llm') this.completeBeside(workspaceId, call, reading.call, startMs);
    const { provider, model, usage, prompt } = call;
    const numbers = { inputTokens: usage.input, outputTokens: usage.output };
    const cost = this.prices.costOf(workspaceId, call, startMs);
    const factsOfCall = { ...facts, spanType: typeBesideCall(span, facts), provider, model, prompt, ...numbers };
    const rest = { closeAfter, isConverted: false, given, cost, told: null, facts: factsOfCall };
    return incomingOf(workspaceId, span, { ...rest, call });
  }

  /** A span of the server's own work: everything is known of it, so no convention is asked. */
  own({ workspaceId }: Caller, { span, spanType, call }: KnownSpan): IncomingSpan {
    const cost = call && this.prices.costOf(workspaceId, call, startMsOf(span));
    const given = call && { startMs: null, endMs: null, score: null };
    const { provider = null, model = null, usage, prompt = null } = call ?? {};
    const { input: inputTokens = null, output: outputTokens = null } = usage ?? {};
    const facts = { spanType, provider, model, inputTokens, outputTokens, prompt };
    const identity = identityOf(workspaceId, span);
    return {
      ...identity,
      span,
      attributes: span.attributes.toJson(),
      facts,
      cost,
      call: call && packCall(call),
      given,
      requestSpanId: null,
      responseId: null,
      told: null,
      isConverted: false,
      closeAfter: false,
    };
  }

  /** Completes a call without numbers that came beside its span by the numbers of the span. */
  private completeBeside(workspaceId: number, call: LlmCall, ofSpan: LlmCall, startMs: number): void {
    if (hasUsage(call.usage)) return;
    const priced = (each: LlmCall) => ({ ...each, cost: this.prices.costOf(workspaceId, each, startMs) });
    const completed = completeNumbers(priced(call), priced(ofSpan));
    if (!completed) return;
    const { provider, model, answeredBy, usage, reportedPrice } = completed;
    Object.assign(call, { provider, model, answeredBy, usage, reportedPrice });
  }

  /** Numbers of a span that is no call itself, but whose log an SDK reports. */
  private toldOfOther(workspaceId: number, span: NormalizedSpan): CallNumbers | null {
    if (span.endNs === null || requestSpanIdOf(span) === null) return null;
    const priced = readPriced(SpanAttributes.of(span));
    if (!hasUsage(priced.usage) && priced.reportedPrice === null) return null;
    return { ...priced, cost: this.prices.costOf(workspaceId, priced, startMsOf(span)) };
  }

  /**
   * Embeddings have a price but no log. Other spans without a log repeat the cost of calls that have their own spans.
   */
  private costOfEmbedding(workspaceId: number, span: NormalizedSpan): number | null {
    const embedding = readEmbedding(span);
    return embedding && this.prices.costOf(workspaceId, embedding, startMsOf(span));
  }

  /** A convention that throws costs the request log, never the span. */
  private readConvention(span: NormalizedSpan): Reading | null {
    try {
      return this.conventions.read(span);
    } catch (error) {
      this.log.error(`A convention failed on span ${span.traceId}/${span.spanId}: ${String(error)}`);
      return null;
    }
  }
}

type Read = Pick<IncomingSpan, 'closeAfter' | 'isConverted' | 'given' | 'cost' | 'told' | 'facts'> & {
  call: LlmCall | null;
};

/** Every span passes here: objects that are spread cost several times as much as one written out. */
function incomingOf(
  workspaceId: number,
  span: NormalizedSpan,
  { closeAfter, isConverted, call: read, given, cost, told, facts }: Read,
): IncomingSpan {
  const call = read && packCall(read);
  const { traceKey, spanKey } = identityOf(workspaceId, span);
  const requestSpanId = requestSpanIdOf(span);
  const responseId = call || requestSpanId !== null ? readResponseId(SpanAttributes.of(span)) : null;
  const attributes = span.attributes.toJson();
  // The decoded attributes are larger than everything else, so they are released.
  span.attributes = NO_ATTRIBUTES;
  SpanAttributes.forget();
  return {
    workspaceId,
    traceKey,
    spanKey,
    span,
    attributes,
    facts,
    cost,
    call,
    given,
    requestSpanId,
    responseId,
    told,
    isConverted,
    closeAfter,
  };
}

function identityOf(
  workspaceId: number,
  { traceId, spanId }: NormalizedSpan,
): Pick<IncomingSpan, 'workspaceId' | 'traceKey' | 'spanKey'> {
  const traceKey = traceKeyOf(workspaceId, traceId);
  return { workspaceId, traceKey, spanKey: spanKeyOf(traceKey, spanId) };
}

/** Attributes hold JSON, whose values may hold JSON again: messages are stored in readable form. */
function readableCall(call: LlmCall): LlmCall {
  call.input = readablePrompt(call.input);
  call.output = readablePrompt(call.output);
  call.metadata = readableTexts(call.metadata);
  call.promptInputVariables = readableTexts(call.promptInputVariables);
  return call;
}

/** Milliseconds since the epoch. */
function startMsOf({ startNs }: NormalizedSpan): number {
  return Number(startNs / 1_000_000n);
}

/** SDKs report logs by span id: that of a span with an SDK mark, or of the span that manages it. */
function requestSpanIdOf(span: NormalizedSpan): string | null {
  const attributes = SpanAttributes.of(span);
  return managingSpanId(attributes) ?? (attributes.present(SDK_MARKS).length > 0 ? span.spanId : null);
}

/** A span without a type is the call that came beside it. */
function typeBesideCall(span: NormalizedSpan, { spanType }: SpanFacts): string {
  const isDefault = spanType === 'CODE_EXECUTION' && !SpanAttributes.of(span).has('node_type');
  return isDefault ? 'LLM_CALL' : spanType;
}

function factsOf(span: NormalizedSpan, reading: Reading | null): SpanFacts {
  if (reading?.kind === 'llm') {
    const { provider, model, usage, prompt } = reading.call;
    const { input: inputTokens, output: outputTokens } = usage;
    return { spanType: reading.spanType, provider, model, inputTokens, outputTokens, prompt };
  }
  const { spanType, provider, model, usage, prompt } = readSpanFacts(span);
  return {
    spanType: reading?.spanType ?? spanType,
    provider,
    model,
    inputTokens: usage.input,
    outputTokens: usage.output,
    prompt,
  };
}
