import { setTimeout as wait } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { applyDecorators, Inject, Injectable, type OnModuleDestroy, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import { Semaphore } from 'async-mutex';
import { CONFIG, type Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { Throws } from './throws.js';

/** How often the state is read again while somebody listens. */
const INTERVAL_MS = 250;
/** Proxies close connections on which nothing is sent for long. */
const KEEP_ALIVE_MS = 15_000;

const EVENT_STREAM = 'text/event-stream';

/** The state of long work, as a client follows it. */
export interface Progress {
  /** Sent as JSON. */
  body: object;
  /** Nothing will change any more. */
  ended: boolean;
}

/** Who follows. */
export interface StreamHolder {
  /** null for the operator. */
  keyId: number | null;
  /** Calls `end` when the stream must not go on. Gives the function to call when it has ended. */
  hold(end: () => void): () => void;
}

/** Documents an answer of server-sent events: `progress` with each change of the state, `end` with the last one. */
export const AnswersProgress = (): MethodDecorator =>
  applyDecorators(
    ApiProduces(EVENT_STREAM),
    Throws(PlatformErrors.event_streams_exceeded),
    ApiOkResponse({
      description:
        'Events called progress whenever something has changed, and one called end with the final state; then the stream ends. The ' +
        'data of both is the operation as JSON. A client that connects again gets the state of that moment first.',
      content: {
        [EVENT_STREAM]: { schema: { type: 'string', example: 'event: progress\ndata: {"status":"running"}\n\n' } },
      },
    }),
  );

/** States that are read at once for all streams together: streams are many, and others need the database too. */
const READS_AT_ONCE = 2;

/** Streams of server-sent events. They end when their work does, when the client goes away, its key is revoked or the server stops. */
@Injectable()
export class ProgressStreams implements OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly reads = new Semaphore(READS_AT_ONCE);
  /** How many streams each key has open. */
  private readonly open = new Map<number | null, number>();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /**
   * Reads the state once before anything is sent, so that what `read` throws becomes an ordinary answer. Throws
   * event_streams_exceeded when the key follows too much already.
   */
  async follow(holder: StreamHolder, read: () => Promise<Progress>): Promise<StreamableFile> {
    const release = this.enter(holder.keyId);
    try {
      const first = await read();
      const unwanted = new AbortController();
      const letGo = holder.hold(() => unwanted.abort());
      const signal = AbortSignal.any([this.stopping.signal, unwanted.signal]);
      const events = Readable.from(this.events(first, read, signal), { objectMode: false });
      events.once('close', () => {
        letGo();
        release();
      });
      return new StreamableFile(events, { type: `${EVENT_STREAM}; charset=utf-8` });
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Counts a stream of the key. Gives a function that counts it off. */
  private enter(keyId: number | null): () => void {
    const limit = this.config.eventStreamsPerKey;
    const before = this.open.get(keyId) ?? 0;
    if (before >= limit) throw PlatformErrors.event_streams_exceeded(limit);
    this.open.set(keyId, before + 1);
    return () => {
      const left = this.open.get(keyId)! - 1;
      if (left > 0) this.open.set(keyId, left);
      else this.open.delete(keyId);
    };
  }

  private async *events(first: Progress, read: () => Promise<Progress>, signal: AbortSignal): AsyncGenerator<string> {
    let sent = '';
    let quietMs = 0;
    for (let state: Progress | null = first; state; state = await this.readAgain(read, signal)) {
      const data = JSON.stringify(state.body);
      if (state.ended) return yield toEvent('end', data);
      quietMs = data === sent ? quietMs + INTERVAL_MS : 0;
      if (data !== sent) yield toEvent('progress', data);
      // With an empty piece a stream whose client has gone away comes to know that, and ends.
      else yield quietMs % KEEP_ALIVE_MS === 0 ? ': still here\n\n' : '';
      sent = data;
    }
  }

  /** null ends the stream: it must not go on, or the state cannot be read. Whoever connects again learns why. */
  private async readAgain(read: () => Promise<Progress>, signal: AbortSignal): Promise<Progress | null> {
    await wait(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    return signal.aborted ? null : this.reads.runExclusive(read).catch(() => null);
  }
}

function toEvent(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}
