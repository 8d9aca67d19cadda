import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 250;
const WAIT_LIMIT_MS = 60_000;

interface WorkState {
  operation?: { status: string };
  export?: { status: string };
}

/** Talks to the server over HTTP, as a customer would. */
export class DemoClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly signal: AbortSignal,
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
    const deadline = Date.now() + WAIT_LIMIT_MS;
    while (!(await done())) {
      if (Date.now() > deadline) throw new Error('the worker did not get to it within a minute');
      await sleep(POLL_MS, undefined, { signal: this.signal });
    }
  }

  private async call<T>(method: string, path: string, body?: string): Promise<T> {
    const headers: Record<string, string> = { 'x-api-key': this.apiKey };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(new URL(path, this.baseUrl), { method, headers, body, signal: this.signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text) as T;
  }
}
