import { withRetryKey } from './retry-key';
import type { Operations } from './schema.gen';

type Name = keyof Operations;
type Part<N extends Name, P extends string> = Operations[N] extends Record<P, infer T> ? T : never;

export type AnswerOf<N extends Name> = Part<N, 'answer'>;

interface Request<N extends Name> {
  path?: Part<N, 'path'>;
  query?: Part<N, 'query'>;
  body?: Part<N, 'body'>;
  signal?: AbortSignal;
  /** A second request with the same key has no second effect. */
  idempotencyKey?: string;
}

interface Refusal {
  status: number;
  code: string;
  message: string;
  requestId?: string | null;
  retryAfterMs?: number | null;
  body?: object;
}

/** A refusal of the server, with its message. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
  /** The whole answer: some refusals have further fields. */
  readonly body: object;

  constructor({ status, code, message, requestId = null, retryAfterMs = null, body = {} }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.body = body;
  }
}

/** The message of an error, with the id of the request to quote in questions about it. */
export function sentenceOf(error: Error): string {
  return error instanceof ApiError && error.requestId ? `${error.message} (request ${error.requestId})` : error.message;
}

const SESSION_PATH = '/console/session';
let signedOut = (): void => undefined;

/** Registers `act`, which is called whenever the server no longer knows the session. */
export function whenSignedOut(act: () => void): void {
  signedOut = act;
}

/**
 * Calls an operation of the API document by its method and path, authenticated by the cookie. A POST that is sent again
 * because its answer was lost has no second effect. Throws an ApiError.
 */
export async function api<N extends Name>(name: N, call: Request<N> = {}): Promise<AnswerOf<N>> {
  const [method = 'GET', path = ''] = name.split(' ');
  const url = fillIn(path, call.path, call.query);
  const send = async (idempotencyKey = call.idempotencyKey) => {
    const response = await request(url, { ...call, method, idempotencyKey });
    // 204 has no body.
    return (response.status === 204 ? undefined : await response.json()) as AnswerOf<N>;
  };
  if (method !== 'POST' || call.idempotencyKey !== undefined) return send();
  return withRetryKey(`${url}\n${JSON.stringify(call.body)}`, send, isAnswer);
}

/** Whether the server has decided, so that the same request is a new one. An aborted request is not waited for. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof ApiError ? error.status >= 400 && error.status < 500 : error instanceof DOMException;

interface Sent {
  method: string;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

/** Sends a request and returns the response with an unread body. Throws an ApiError for a refusal. */
export async function request(url: string, { method, body, signal, idempotencyKey }: Sent): Promise<Response> {
  const response = await reach(url, {
    method,
    signal,
    headers: {
      'x-console': '1',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (response.status === 401 && url !== SESSION_PATH) signedOut();
  if (!response.ok) throw await toError(response);
  return response;
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError({ status: 0, code: 'unreachable', message: 'The server cannot be reached. Is it running?' });
  }
}

function fillIn(path: string, values: unknown, query: unknown): string {
  const names = (values ?? {}) as Record<string, string | number>;
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''));
  const search = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

async function toError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { message?: string; error?: string };
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  return new ApiError({
    status: response.status,
    code: body.error ?? `http_${response.status}`,
    message: body.message ?? `The server answered ${response.status}.`,
    requestId: response.headers.get('x-request-id'),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
    body,
  });
}

const TRIES = 3;
/** Statuses worth a retry: too many requests, or a busy server. */
const PASSING = new Set([429, 503]);

export function mayTryAgain(failures: number, error: Error): boolean {
  return error instanceof ApiError && PASSING.has(error.status) && failures < TRIES;
}

export function waitBeforeTry(failures: number, error: Error): number {
  const asked = error instanceof ApiError ? error.retryAfterMs : null;
  return asked ?? 1000 * 2 ** failures;
}
