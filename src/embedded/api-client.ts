import { setTimeout as sleep } from 'node:timers/promises';

interface WorkState {
  operation?: { status: string };
  export?: { status: string };
}

export interface ApiClientOptions {
  signal?: AbortSignal;
  /** Polling interval in milliseconds. */
  pollMs?: number;
  waitLimitMs?: number;
}

/** Calls servers over HTTP like a customer: several in turn, like a load balancer. */
export class ApiClient {
  private next = 0;

  constructor(
    private readonly urls: string[],
    private readonly apiKey: string,
    private readonly options: ApiClientOptions = {},
  ) {}

  post<T>(path: string, body: unknown): Promise<T> {
    return this.call<T>('POST', path, JSON.stringify(body));
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.call<T>('PUT', path, JSON.stringify(body));
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.call<T>('PATCH', path, JSON.stringify(body));
  }

  get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path);
  }

  untilFinished(statusUrl: string): Promise<void> {
    return this.until(async () => {
      const { operation, export: begun } = await this.get<WorkState>(statusUrl);
      const { status } = (operation ?? begun)!;
      if (status === 'failed') throw new Error(`${statusUrl} failed`);
      return status === 'completed';
    });
  }

  async until(done: () => Promise<boolean>): Promise<void> {
    const { pollMs = 250, waitLimitMs = 60_000, signal } = this.options;
    const deadline = Date.now() + waitLimitMs;
    while (!(await done())) {
      if (Date.now() > deadline) throw new Error(`the worker did not get to it within ${waitLimitMs / 1000} seconds`);
      await sleep(pollMs, undefined, { signal });
    }
  }

  /** Retries a busy server after its Retry-After, as exporters do. */
  private async call<T>(method: string, path: string, body?: string): Promise<T> {
    const headers: Record<string, string> = { 'x-api-key': this.apiKey };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const { signal } = this.options;
    for (;;) {
      const url = new URL(path, this.urls[this.next++ % this.urls.length]);
      const response = await fetch(url, { method, headers, body, signal });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as T;
      const retryAfter = response.status === 503 && response.headers.get('retry-after');
      if (!retryAfter) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
      await sleep(Number(retryAfter) * 1000, undefined, { signal });
    }
  }
}
