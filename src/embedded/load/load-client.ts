import { setTimeout as sleep } from 'node:timers/promises';

/** Calls several servers in turn, as a load balancer would send clients to them. */
export class LoadClient {
  private next = 0;

  constructor(
    private readonly urls: string[],
    private readonly apiKey: string,
  ) {}

  /** The parsed answer; an error with what it says when it is a refusal. After a 503 it tries again, as exporters do. */
  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    for (;;) {
      const url = this.urls[this.next++ % this.urls.length]!;
      const response = await fetch(url + path, {
        method,
        headers: { 'x-api-key': this.apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as T;
      if (response.status !== 503)
        throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
      await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
    }
  }
}
