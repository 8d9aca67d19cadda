import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that waits for its answer. */
interface Waiting {
  text: string;
  /** Only `release` answers it. */
  isHeld: boolean;
  response: ServerResponse;
}

/**
 * Local service that external cells call. It counts calls by text, answers on request or after a delay, and records
 * callers that hung up. Texts of the form `429 2` get that status as many times before a normal answer; those that
 * begin with `hang` are held.
 */
export class WaitingService {
  /** Milliseconds until an answer; null to hold every answer until `release`. */
  delayMs: number | null = 0;
  /** Retry-After header of answers that ask for a retry. */
  retryAfter: string | null = null;
  readonly calls = new Map<string, number>();
  /** Times of the calls of each text, in milliseconds. */
  readonly times = new Map<string, number[]>();
  /** Texts whose callers did not wait for the answer. */
  readonly abandoned: string[] = [];
  /** The most that ever waited at the same time. */
  mostOpen = 0;
  private readonly waiting = new Set<Waiting>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WaitingService> {
    const server = createServer((request, response) => void service.serve(request, response));
    const service = new WaitingService(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get open(): number {
    return this.waiting.size;
  }

  /** Number of calls that only `release` answers. */
  get held(): number {
    return [...this.waiting].filter(({ isHeld }) => isHeld).length;
  }

  get hungUp(): number {
    return this.abandoned.length;
  }

  /** The texts that wait for an answer, in the order in which they came. */
  get openTexts(): string[] {
    return [...this.waiting].map(({ text }) => text);
  }

  get total(): number {
    return [...this.calls.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Clears the counts and answers at once. */
  reset(): void {
    this.release();
    Object.assign(this, { delayMs: 0, retryAfter: null, mostOpen: 0 });
    this.abandoned.length = 0;
    this.calls.clear();
    this.times.clear();
  }

  /** Answers everything that waits, or only some texts. */
  release(texts = this.openTexts): void {
    for (const waiting of this.waiting) if (texts.includes(waiting.text)) this.answer(waiting);
  }

  /** The texts that were asked for so many times. */
  textsCalled(times: number): string[] {
    return [...this.calls].filter(([, count]) => count === times).map(([text]) => text);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request) text += String(piece);
    const count = (this.calls.get(text) ?? 0) + 1;
    this.calls.set(text, count);
    this.times.set(text, [...(this.times.get(text) ?? []), Date.now()]);
    const [, status, times] = /^(\d{3}) (\d+)/.exec(text) ?? [];
    if (status && count <= Number(times)) return this.refuse(response, Number(status));
    this.hold({ text, isHeld: this.delayMs === null || /^hang\b/.test(text), response });
  }

  private refuse(response: ServerResponse, status: number): void {
    response.writeHead(status, this.retryAfter === null ? {} : { 'retry-after': this.retryAfter });
    response.end();
  }

  private hold(waiting: Waiting): void {
    this.waiting.add(waiting);
    this.mostOpen = Math.max(this.mostOpen, this.waiting.size);
    waiting.response.on('close', () => {
      if (!waiting.response.writableFinished) this.abandoned.push(waiting.text);
      this.waiting.delete(waiting);
    });
    if (!waiting.isHeld) setTimeout(() => this.answer(waiting), this.delayMs ?? 0);
  }

  private answer(waiting: Waiting): void {
    waiting.isHeld = false;
    if (!waiting.response.writableEnded) waiting.response.end(waiting.text.toUpperCase());
  }
}
