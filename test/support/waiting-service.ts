import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call that waits for its answer. */
interface Waiting {
  text: string;
  response: ServerResponse;
}

/**
 * A local service as cells from outside call it: it counts calls by text, answers when it is told to or after a while, and
 * knows which callers have hung up. Texts of the form `429 2` are answered with that status as many times, then normally.
 */
export class WaitingService {
  /** Milliseconds until an answer; null to hold every answer until `release`. */
  delayMs: number | null = 0;
  /** What answers that ask to be tried again say. */
  retryAfter: string | null = null;
  readonly calls = new Map<string, number>();
  /** When calls of a text came, in milliseconds. */
  readonly times = new Map<string, number[]>();
  hungUp = 0;
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

  get total(): number {
    return [...this.calls.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Forgets what was counted and answers at once. */
  reset(): void {
    this.release();
    Object.assign(this, { delayMs: 0, retryAfter: null, hungUp: 0, mostOpen: 0 });
    this.calls.clear();
    this.times.clear();
  }

  /** Answers everything that waits. */
  release(): void {
    for (const waiting of this.waiting) this.answer(waiting);
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
    this.hold({ text, response });
  }

  private refuse(response: ServerResponse, status: number): void {
    response.writeHead(status, this.retryAfter === null ? {} : { 'retry-after': this.retryAfter });
    response.end();
  }

  private hold(waiting: Waiting): void {
    this.waiting.add(waiting);
    this.mostOpen = Math.max(this.mostOpen, this.waiting.size);
    waiting.response.on('close', () => {
      if (!waiting.response.writableFinished) this.hungUp++;
      this.waiting.delete(waiting);
    });
    if (this.delayMs !== null && waiting.text !== 'hang') setTimeout(() => this.answer(waiting), this.delayMs);
  }

  private answer({ text, response }: Waiting): void {
    if (!response.writableEnded) response.end(text.toUpperCase());
  }
}
