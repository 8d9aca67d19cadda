import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

export const EVENT_STREAM = 'text/event-stream';
/** Interval of keep-alive comments: proxies close idle connections. */
export const KEEP_ALIVE_MS = 15_000;
export const KEEP_ALIVE = ': still here\n\n';

/** `data` is JSON, in which line breaks are escaped. */
export function toEvent(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

/** Server-sent events of something that happens, for one client. */
export class EventStream {
  private readonly body = new PassThrough();
  private readonly timer = setInterval(() => this.keepAlive(), KEEP_ALIVE_MS).unref();

  constructor() {
    this.body.once('close', () => clearInterval(this.timer));
    // A client that leaves is no failure.
    this.body.on('error', () => undefined);
  }

  /** The answer of the handler. */
  get answer(): StreamableFile {
    return new StreamableFile(this.body, { type: `${EVENT_STREAM}; charset=utf-8` });
  }

  /** Resolves when the client can take more, or has left. Never rejects. */
  async send(name: string, data: object): Promise<void> {
    if (!this.body.writable || this.body.write(toEvent(name, JSON.stringify(data)))) return;
    const settled = new AbortController();
    const { signal } = settled;
    await Promise.race([once(this.body, 'drain', { signal }), once(this.body, 'close', { signal })]).catch(
      () => undefined,
    );
    settled.abort();
  }

  /** Sends the last event. */
  end(name: string, data: object): void {
    clearInterval(this.timer);
    if (this.body.writable) this.body.end(toEvent(name, JSON.stringify(data)));
  }

  private keepAlive(): void {
    if (this.body.writable && !this.body.writableNeedDrain) this.body.write(KEEP_ALIVE);
  }
}
