import { isEmpty } from '../shared/json-reading.js';
import { Injectable } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { OutboundClient } from '../../platform/outbound/outbound.client.js';
import { isStorageFailure } from '../../platform/errors/failures.js';
import { CredentialStore, type WantedCredential } from '../credentials/credential-store.js';
import type { ModelCredential } from '../credentials/model-credential.entity.js';
import type { NativeReading } from '../formats/shared/vendor-format.js';
import { readNativeCall } from '../formats/formats.js';
import { StreamedAnswer } from '../formats/streamed-answer.js';
import { ModelProviders } from '../providers/model-providers.js';
import { CallLimiter, type CallPlace } from './call-limiter.js';
import { type EmbeddingResponse, type ModelConnection, type ModelResponse, STREAM_END } from './connection.js';
import { ModelFailure, NoAnswer, toModelFailure } from './model-failure.js';
import { outputText } from '../records/conversation.js';
import type { ContentPart } from '../shared/blueprint.js';
import { estimateTokens } from './estimate-tokens.js';

/** The credential for a call, and the signal that aborts it. */
export interface CallFor extends WantedCredential {
  signal: AbortSignal;
  /** Called with each wait before the call may begin, so that the wait does not count as time of the call. */
  whileWaiting?<T>(wait: Promise<T>): Promise<T>;
}

export interface ModelAsk extends CallFor {
  /** Arguments that the provider's `kwargs` made. */
  kwargs: JsonObject;
  apiType: string | null;
}

export interface EmbeddingAsk extends CallFor {
  model: string;
  texts: string[];
}

/** A call of a model that was made. Times are milliseconds since the epoch. */
export interface MadeCall {
  functionName: string;
  /** Prompt and answer, in the vocabulary of prompts. */
  reading: NativeReading;
  startMs: number;
  endMs: number;
}

export interface StreamedCall extends MadeCall {
  /** Time of the first piece of the answer, thoughts and tool calls included; null for an answer that came whole. */
  firstPieceMs: number | null;
}

export interface MadeEmbedding extends MadeCall {
  vectors: number[][];
}

/** A call that brought no answer, with the known facts about it. */
export class FailedCall extends Error {
  constructor(
    readonly failure: ModelFailure,
    readonly call: MadeCall,
  ) {
    super(failure.message);
  }
}

/** Takes the next text of the answer. No further text is read until this resolves; never rejects. */
export type TextSink = (text: string) => Promise<void>;

const ABORTED = new ModelFailure('The call was ended before its answer came.', 'PROVIDER_TIMEOUT', null);

/** The only way to call a model: with the workspace's credential, within its limits, through the guarded connection. */
@Injectable()
export class ModelCalls {
  constructor(
    private readonly providers: ModelProviders,
    private readonly credentials: CredentialStore,
    private readonly outbound: OutboundClient,
    private readonly limits: CallLimiter,
  ) {}

  /**
   * Calls once, without retries. Throws ModelFailure when no call was made, and FailedCall when one was made and
   * brought no answer, also because the signal was aborted. A response of status 200 that is no answer is a failure,
   * too. An answer that was cut off or withheld is an answer, and its `reading.end` says so.
   */
  async call(ask: ModelAsk): Promise<MadeCall> {
    const { provider, kwargs, apiType } = ask;
    const plugin = this.providers.caller(provider);
    if (!plugin.call)
      throw new ModelFailure(`Models of ${provider} cannot be called from here.`, 'UNKNOWN_ERROR', null);
    return this.make(ask, { request: kwargs, tokens: tokensOf(kwargs) }, (connection) =>
      plugin.call!({ kwargs, apiType }, connection),
    );
  }

  /**
   * Like `call`, but passes the text on while it is written. Both return the same. A provider that does not stream
   * answers with one piece. A call that breaks off throws FailedCall with the part that had arrived.
   */
  async stream(ask: ModelAsk, onText: TextSink): Promise<StreamedCall> {
    const { provider, kwargs, apiType } = ask;
    const plugin = this.providers.caller(provider);
    if (!plugin.stream) {
      const made = await this.call(ask);
      await onText(textOf(made));
      return { ...made, firstPieceMs: null };
    }
    const answer = new StreamedAnswer();
    let firstPieceMs: number | null = null;
    let functionName = '';
    let said = '';
    const send = async (connection: ModelConnection): Promise<ModelResponse> => {
      const stream = await plugin.stream!({ kwargs, apiType }, connection);
      functionName = stream.functionName;
      for await (const chunk of stream.chunks) {
        const piece = chunk === STREAM_END ? answer.end() : answer.add(chunk);
        if (!piece) continue;
        firstPieceMs ??= Date.now();
        said ||= piece.text;
        if (piece.text !== '') await onText(piece.text);
      }
      if (!answer.isComplete) throw new NoAnswer('its stream ended before the answer was complete.', null);
      return { functionName, response: answer.response };
    };
    const received = () => ({ functionName, response: answer.response });
    const made = await this.make(ask, { request: kwargs, tokens: tokensOf(kwargs) }, send, received);
    // Servers that do not stream, and events that hold the whole answer.
    if (said === '') await onText(textOf(made));
    return { ...made, firstPieceMs };
  }

  /** Like `call`, for embeddings. */
  async embed(ask: EmbeddingAsk): Promise<MadeEmbedding> {
    const { provider, model, texts } = ask;
    const plugin = this.providers.caller(provider);
    if (!plugin.embed) throw new ModelFailure(`${provider} has no embeddings.`, 'UNKNOWN_ERROR', null);
    const request = { model, input: texts };
    let vectors: number[][] = [];
    const made = await this.make(ask, { request, tokens: tokensOf(request) }, async (connection) => {
      const answer: EmbeddingResponse = await plugin.embed!({ model, texts }, connection);
      vectors = answer.vectors;
      return answer;
    });
    return { ...made, vectors };
  }

  private async make(
    ask: CallFor,
    { request, tokens }: { request: JsonObject; tokens: number },
    send: (connection: ModelConnection) => Promise<ModelResponse>,
    received: () => ModelResponse = () => NOTHING,
  ): Promise<MadeCall> {
    const { provider, signal } = ask;
    const credential = await this.credentials.choose(ask);
    const connection = this.connect(credential, signal);
    const model = modelIn(request);
    const place = await this.enter(ask, { credential, model, tokens });
    const call = { functionName: '', startMs: Date.now(), endMs: 0, provider, request };
    let made: MadeCall | null = null;
    try {
      const answer = await send(connection);
      made = toMadeCall({ ...call, ...answer });
      assertAnswered(made, answer.response, provider);
      return made;
    } catch (error) {
      const failure = signal.aborted ? abortionOf(signal) : toModelFailure(error, provider, credential?.name ?? '');
      await this.rest(credential, model, failure);
      throw new FailedCall(failure, made ?? toMadeCall({ ...call, ...received() }));
    } finally {
      await place?.leave(made && tokensUsed(made)).catch(() => undefined);
    }
  }

  /**
   * Waits until the call may begin. Throws ModelFailure while the provider has asked for a pause: callers decide
   * whether to wait for that.
   */
  private async enter(
    { provider, signal, whileWaiting }: CallFor,
    { credential, model, tokens }: { credential: ModelCredential | null; model: string; tokens: number },
  ): Promise<CallPlace | null> {
    if (!credential) return null;
    const afterMs = await this.limits.pauseOf(credential, model);
    if (afterMs > 0) {
      const message = `${provider} has asked for no calls of ${model || 'this model'} for another ${Math.ceil(afterMs / 1000)} s.`;
      throw new ModelFailure(message, 'PROVIDER_RATE_LIMIT', { afterMs });
    }
    const entering = this.limits.enter(credential, tokens, signal).catch(toLimitFailure(signal));
    return whileWaiting ? whileWaiting(entering) : entering;
  }

  /** Pauses the model for all processes, so that others do not run into the same limit. */
  private async rest(credential: ModelCredential | null, model: string, { type, retry }: ModelFailure): Promise<void> {
    if (!credential || type !== 'PROVIDER_RATE_LIMIT' || !retry?.afterMs) return;
    await this.limits.pause(credential, model, retry.afterMs).catch(() => undefined);
  }

  private connect(credential: ModelCredential | null, signal: AbortSignal): ModelConnection {
    const fetch: ModelConnection['fetch'] = (input, init) => this.outbound.fetch(input as string | URL, init);
    if (!credential) return { baseUrl: null, secret: '', options: {}, fetch, signal };
    const { baseUrl, options } = credential;
    return { baseUrl, secret: this.credentials.decrypt(credential), options, fetch, signal };
  }
}

const NOTHING: ModelResponse = { functionName: '', response: null };

/** The failure that an aborted signal carries, or a general one. */
const abortionOf = ({ reason }: AbortSignal): ModelFailure => (reason instanceof ModelFailure ? reason : ABORTED);

/** The text of the answer without tool calls. */
function textOf({ reading: { output } }: MadeCall): string {
  const isSilent = output.type === 'chat' && output.messages.every(({ content }) => !hasText(content ?? []));
  return isSilent ? '' : outputText(output);
}

const hasText = (parts: ContentPart[]): boolean => parts.some(({ type, text }) => type === 'text' && text !== '');

interface Exchange {
  functionName: string;
  provider: string;
  request: JsonObject;
  response: JsonValue;
  startMs: number;
  endMs: number;
}

function toMadeCall({ functionName, provider, request, response, startMs }: Exchange): MadeCall {
  const reading = readNativeCall({ functionName, provider, args: [], kwargs: request, response });
  return { functionName, reading, startMs, endMs: Date.now() };
}

/** Throws the error that the vendor's client throws for an HTTP status, when a response reports a failure. */
function assertAnswered({ reading }: MadeCall, response: JsonValue, provider: string): void {
  const { end, responseUnknown, output } = reading;
  if (end.kind === 'failed') throw new NoAnswer(end.reason, end.status);
  if (end.kind !== 'whole' || !(responseUnknown || isEmpty(response))) return;
  throw new NoAnswer(`it is not in a form that is known of ${provider}: ${outputText(output) || '(nothing)'}`, null);
}

function tokensUsed({ reading: { usage } }: MadeCall): number | null {
  return (usage.input ?? 0) + (usage.output ?? 0) || null;
}

function tokensOf(request: JsonObject): number {
  const { input, output } = estimateTokens(request);
  return input + (output ?? 0);
}

/** Vendors' limits are per model. */
function modelIn({ model, modelId }: JsonObject): string {
  return typeof model === 'string' ? model : typeof modelId === 'string' ? modelId : '';
}

/** Without Redis the calls of other processes are unknown. */
function toLimitFailure(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    signal.throwIfAborted();
    if (isStorageFailure(error)) throw error;
    const message = `The limits of the credential could not be looked up: ${String(error)}`;
    throw new ModelFailure(message, 'UNKNOWN_ERROR', { afterMs: null });
  };
}
