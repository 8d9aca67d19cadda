import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { isPublicAddress } from './addresses.js';
import { hostProblem, readTarget } from './target.js';

export interface OutboundRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body?: string;
  /** For everything together: name resolution, connection, request and answer, in milliseconds. */
  timeoutMs: number;
  /** Bytes of the answer's body that are read. The rest is left on the wire. */
  maxResponseBytes: number;
  /** Ends the call at once when it is aborted. */
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  body: Buffer;
  /** True when there was more than `maxResponseBytes`. */
  truncated: boolean;
}

/** There is no answer, for a reason that may be shown to whoever chose the URL. */
export class OutboundFailure extends Error {}

interface Address {
  address: string;
  family: number;
}

/**
 * The one way to call URLs that users choose. It connects only to addresses on the public internet (unless
 * OUTBOUND_ALLOW_PRIVATE says otherwise), and to those it has checked: the name is resolved once. Redirects are answers
 * like any other and not followed.
 */
@Injectable()
export class OutboundClient {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'outboundAllowPrivate'>) {}

  /** Why a URL cannot be called, in a sentence, as far as that shows without resolving names; null when it may be. */
  findProblem(text: string): string | null {
    const target = readTarget(text);
    if (typeof target === 'string') return target;
    return this.allowsPrivate ? null : hostProblem(target);
  }

  /**
   * Throws OutboundFailure when no whole answer came in time or the target is off limits, and the reason of the signal when
   * that was aborted.
   */
  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
    try {
      signal.throwIfAborted();
      const target = this.checkUrl(request.url);
      // Resolving a name cannot be stopped, and an odd answer may end without a word.
      return await untilAborted(this.exchange(request, target, signal), signal);
    } catch (error) {
      if (error instanceof OutboundFailure) throw error;
      if (request.signal?.aborted) throw request.signal.reason;
      if (timeout.aborted) throw new OutboundFailure(`There was no whole answer within ${request.timeoutMs} ms.`);
      throw new OutboundFailure(`The connection failed (${codeOf(error)}).`);
    }
  }

  private async exchange(request: OutboundRequest, target: URL, signal: AbortSignal): Promise<OutboundResponse> {
    return exchange(request, target, await this.resolve(target), signal);
  }

  private get allowsPrivate(): boolean {
    return this.config.outboundAllowPrivate === 'on';
  }

  private checkUrl(text: string): URL {
    const problem = this.findProblem(text);
    if (problem) throw new OutboundFailure(`The URL is refused. ${problem}`);
    return new URL(text);
  }

  /** Where a name leads. One private address among several is enough to refuse them all. */
  private async resolve({ hostname }: URL): Promise<Address[]> {
    const bare = hostname.replace(/^\[(.*)\]$/, '$1');
    const family = isIP(bare);
    const addresses = family ? [{ address: bare, family }] : await lookup(bare, { all: true });
    if (!this.allowsPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
      throw new OutboundFailure('The URL is refused. Its host is not on the public internet.');
    }
    return addresses;
  }
}

function exchange(
  request: OutboundRequest,
  target: URL,
  addresses: Address[],
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const { method, headers, body, maxResponseBytes } = request;
  const { request: start } = target.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    // A connection of its own: one from a pool may have been made for another check.
    const options = { method, headers, signal, agent: false, lookup: answerWith(addresses) };
    const outgoing = start(target, options, (answer) => {
      readStart(answer, maxResponseBytes).then(({ bytes, truncated }) => {
        resolve({ status: answer.statusCode!, body: bytes, truncated });
        outgoing.destroy();
      }, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Resolves to what has been checked, whatever a name server would say now. */
function answerWith(addresses: Address[]): LookupFunction {
  return (_name, options, done) => {
    if (options.all) done(null, addresses);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };
}

async function readStart(answer: http.IncomingMessage, limit: number): Promise<{ bytes: Buffer; truncated: boolean }> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > limit) break;
  }
  return { bytes: Buffer.concat(pieces).subarray(0, limit), truncated: size > limit };
}

/** What is waited for may go on in the background. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    promise.then(resolve, reject);
  });
}

/** Only the code: messages of the system name addresses behind a name. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  return code ?? errors?.[0]?.code ?? 'unknown';
}
