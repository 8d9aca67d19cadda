import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { Agent, fetch, request, type RequestInit as FetchInit } from 'undici';
import { CONFIG, type Config } from '../config/config.js';
import { isPublicAddress } from './addresses.js';
import { hostProblem, readTarget } from './target.js';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: string;
  /** Limit of name resolution, connection, request and answer together, in milliseconds. */
  timeoutMs: number;
  /** Bytes of the answer's body that are read. The rest is discarded. */
  maxResponseBytes: number;
  /** Ends the call at once when it is aborted. */
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** By name in lower case. */
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** True when there was more than `maxResponseBytes`. */
  truncated: boolean;
}

/** There is no answer, for a reason that can be shown to the user who chose the URL. Its cause is the error of the connection. */
export class OutboundFailure extends Error {}

/** Clients hold an answer in memory as a whole, and the server that gives it may be of an attacker. */
const MAX_FETCHED_BYTES = 32 * 1024 * 1024;

/** System error codes of failures that have other codes in the client. */
const SYSTEM_CODES: Record<string, string> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_CONNECT_TIMEOUT: 'ETIMEDOUT',
};

/**
 * The one way to call URLs that users choose. It connects only to public addresses, unless OUTBOUND_ALLOW_PRIVATE is on. A name is
 * resolved once per connection, and the connection goes to the checked addresses, so connections can be reused. Redirects are
 * answers and not followed.
 */
@Injectable()
export class OutboundClient {
  private readonly connections: Agent;

  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'outboundAllowPrivate'>) {
    // Callers limit the duration with their own signal.
    const patient = { headersTimeout: 0, bodyTimeout: 0 };
    this.connections = new Agent({ ...patient, connect: { lookup: this.lookUpChecked } });
  }

  /** Why a URL cannot be called, as far as it is visible without resolving names; null when it can. */
  findProblem(text: string): string | null {
    const target = readTarget(text);
    if (typeof target === 'string') return target;
    return this.allowsPrivate ? null : hostProblem(target);
  }

  /**
   * A standard `fetch` for clients that take one. Rejects with OutboundFailure when there is no answer or the target is not
   * allowed, and with the reason of an aborted signal. Reading the body can fail as with any fetch, and fails with OutboundFailure
   * when it is longer than `maxBytes` after decompression.
   */
  async fetch(url: string | URL, init: RequestInit = {}, maxBytes = MAX_FETCHED_BYTES): Promise<Response> {
    try {
      init.signal?.throwIfAborted();
      const guarded = { ...(init as FetchInit), redirect: 'manual', dispatcher: this.connections } as const;
      return limited((await fetch(this.checkUrl(String(url)), guarded)) as Response, maxBytes);
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      // A TypeError without a cause is about the arguments.
      if (error instanceof TypeError && !error.cause) throw error;
      throw toFailure(error);
    }
  }

  /** Throws OutboundFailure when no complete answer came in time or the target is not allowed, and the reason of an aborted signal. */
  async send(call: OutboundRequest): Promise<OutboundResponse> {
    const timeout = AbortSignal.timeout(call.timeoutMs);
    const signal = call.signal ? AbortSignal.any([timeout, call.signal]) : timeout;
    try {
      signal.throwIfAborted();
      // The client observes a signal only once it has a connection.
      return await untilAborted(this.exchange(call, this.checkUrl(call.url), signal), signal);
    } catch (error) {
      if (call.signal?.aborted) throw call.signal.reason;
      if (timeout.aborted) throw new OutboundFailure(`There was no whole answer within ${call.timeoutMs} ms.`);
      throw toFailure(error);
    }
  }

  /** Resolves a name. */
  protected resolve(hostname: string): Promise<LookupAddress[]> {
    return promisify(lookup)(hostname, { all: true });
  }

  protected isAllowed(address: string): boolean {
    return this.allowsPrivate || isPublicAddress(address);
  }

  private async exchange(call: OutboundRequest, target: URL, signal: AbortSignal): Promise<OutboundResponse> {
    const { method, headers: sent, body: content, maxResponseBytes } = call;
    const options = { method, headers: sent, body: content, signal, dispatcher: this.connections };
    const { statusCode: status, headers, body } = await request(target, options);
    const { bytes, truncated } = await readStart(body, maxResponseBytes);
    return { status, headers, body: bytes, truncated };
  }

  private get allowsPrivate(): boolean {
    return this.config.outboundAllowPrivate;
  }

  /** Checks addresses in the URL itself, which are not resolved. */
  private checkUrl(text: string): URL {
    const problem = this.findProblem(text);
    if (problem) throw new OutboundFailure(`The URL is refused. ${problem}`);
    return new URL(text);
  }

  /** The name lookup of connections. */
  private readonly lookUpChecked: LookupFunction = (hostname, { all }, done) => {
    this.resolve(hostname).then(
      (addresses) => {
        // One private address among several is enough to refuse them all.
        if (!addresses.every(({ address }) => this.isAllowed(address))) done(offLimits(), []);
        else if (all) done(null, addresses);
        else done(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
}

function offLimits(): OutboundFailure {
  return new OutboundFailure('The URL is refused. Its host is not on the public internet.');
}

async function readStart(answer: AsyncIterable<Buffer>, limit: number): Promise<{ bytes: Buffer; truncated: boolean }> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer) {
    pieces.push(piece);
    size += piece.length;
    if (size > limit) break;
  }
  return { bytes: Buffer.concat(pieces).subarray(0, limit), truncated: size > limit };
}

/** The response with a body that fails beyond the limit, which also closes the connection. */
function limited(response: Response, maxBytes: number): Response {
  if (!response.body || maxBytes === Infinity) return response;
  let size = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      size += piece.length;
      if (size > maxBytes) throw new OutboundFailure(`The answer is longer than ${maxBytes} bytes.`);
      controller.enqueue(piece);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}

/** The promise may continue in the background. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    promise.then(resolve, reject);
  });
}

function toFailure(error: unknown): OutboundFailure {
  const met = error instanceof TypeError && error.cause ? error.cause : error;
  if (met instanceof OutboundFailure) return met;
  return new OutboundFailure(`The connection failed (${codeOf(met)}).`, { cause: met });
}

/** Only the code, because system messages contain the addresses of a name. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  const own = code ?? errors?.[0]?.code ?? 'unknown';
  return SYSTEM_CODES[own] ?? own;
}
