import { expect } from 'vitest';
import type { ContractChecker } from './contract-checker.js';

type Values = Record<string, unknown>;

/** An answer that went wrong, in the words that the client shows. */
export class ToolClientError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Calls the API like an MCP server that passes on arguments of a model: all bodies are JSON, every request has the
 * content type and the key, lists in queries are joined by commas, null and missing values are left out of queries, and
 * every successful answer is read as JSON.
 */
export class ToolClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly contract: ContractChecker,
  ) {}

  get<T = Values>(path: string, query: Values = {}): Promise<T> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return this.send<T>('GET', search === '' ? path : `${path}?${search}`);
  }

  /** Some calls have no body, and say that it is JSON all the same. */
  post<T = Values>(path: string, body?: Values): Promise<T> {
    return this.send<T>('POST', path, body);
  }

  patch<T = Values>(path: string, body: Values): Promise<T> {
    return this.send<T>('PATCH', path, body);
  }

  delete<T = Values>(path: string, body?: Values): Promise<T> {
    return this.send<T>('DELETE', path, body);
  }

  /** The key is in the body, too, where a template is asked for. */
  getTemplate<T = Values>(name: string, body: Values = {}): Promise<T> {
    return this.post<T>(`/prompt-templates/${encodeURIComponent(name)}`, { api_key: this.key, ...body });
  }

  private async send<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: Values): Promise<T> {
    const headers = { 'content-type': 'application/json', 'x-api-key': this.key };
    const request = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(this.url + path, request);
    const text = await response.text();
    const parsed = parse(text);
    const answer = { status: response.status, headers: Object.fromEntries(response.headers), body: parsed ?? text };
    this.contract.check(method, path, { ...answer, bytes: Buffer.from(text) });
    if (!response.ok) throw new ToolClientError(response.status, messageOf(parsed, text));
    // For an answer without JSON the client reports a failure, although the call succeeded.
    if (parsed === undefined) throw new ToolClientError(response.status, 'Unexpected end of JSON input');
    return parsed as T;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** `message`, or else `error`, or else `detail`. */
function messageOf(parsed: unknown, text: string): string {
  const { message, error, detail } = (parsed ?? {}) as { message?: string; error?: string; detail?: unknown };
  return message || error || (detail ? JSON.stringify(detail) : text);
}

/** Expects the error that the client throws for an answer without JSON, such as a 204. */
export async function withoutJson(call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ToolClientError);
  expect((error as ToolClientError).status).toBe(204);
}

export async function failure(call: Promise<unknown>): Promise<[number, string]> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  if (!(error instanceof ToolClientError)) throw new Error(`It did not fail: ${JSON.stringify(error)}`);
  return [error.status, error.message];
}
