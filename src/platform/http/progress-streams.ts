import { setTimeout as wait } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { applyDecorators, Inject, Injectable, type OnModuleDestroy, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import { Semaphore } from 'async-mutex';
import { CONFIG, type Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';
import { EVENT_STREAM, KEEP_ALIVE, KEEP_ALIVE_MS, toEvent } from './event-stream.js';
import { Throws } from './throws.js';

/** Interval between two reads of the state while a client listens. */
const INTERVAL_MS = 250;
/** The state of a long operation for a client. */
export interface Progress {
  /** Sent as JSON. */
  body: object;
  /** True for the last state. */
  ended: boolean;
}

/** The follower of a stream. */
export interface StreamHolder {
  /** null for the operator. */
  keyId: number | null;
  /** Calls `end` when the stream must end. Returns the function to call when it has ended. */
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

/** Concurrent reads of states over all streams: streams are many, and other requests need the database too. */
const READS_AT_ONCE = 2;

/**
 * Streams of server-sent events. They end with their work, when the client disconnects, when its key is revoked, and when the
 * server stops.
 */
@Injectable()
export class ProgressStreams implements OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly reads = new Semaphore(READS_AT_ONCE);
  /** Open streams by key. */
  private readonly open = new Map<number | null, number>();

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  /**
   * Reads the state once before sending, so that an error of `read` becomes an ordinary answer. Throws event_streams_exceeded when
   * the key has too many streams.
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

  /** Counts a stream of the key. Returns the function that uncounts it. */
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
      // An empty piece lets a stream notice that its client has disconnected, and end.
      else yield quietMs % KEEP_ALIVE_MS === 0 ? KEEP_ALIVE : '';
      sent = data;
    }
  }

  /** null ends the stream: it must end, or the state cannot be read. A client that reconnects gets the reason. */
  private async readAgain(read: () => Promise<Progress>, signal: AbortSignal): Promise<Progress | null> {
    await wait(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
    return signal.aborted ? null : this.reads.runExclusive(read).catch(() => null);
  }
}
