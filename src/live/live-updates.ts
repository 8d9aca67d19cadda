import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config/config.js';
import { readJson } from '../platform/read-json.js';
import { anotherConnection, type RedisClient } from '../platform/redis/redis-client.js';
import { REDIS } from '../platform/redis/redis.module.js';
import type { LiveTopic } from './live-channel.js';

/** How long after a change new subscribers still get it. */
const RECENT_MS = 600_000;
const MOST_RECENT = 50;
/** How long a new follower waits for Redis. */
const PATIENCE_MS = 1000;

export interface UpdateListener {
  /** Called when a part of a topic has changed. */
  onUpdate(topic: LiveTopic, part: string): void;
  /** Called when updates may have been lost. */
  onGap(): void;
}

/** Publishes changes to all processes. While Redis is unavailable, updates are lost without other effects. */
@Injectable()
export class LiveUpdates implements OnApplicationShutdown {
  private readonly log = new Logger(LiveUpdates.name);
  private readonly name: string;
  private subscriber: RedisClient | null = null;
  private listening: Promise<void> | null = null;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(CONFIG) config: Config,
  ) {
    this.name = `${config.queuePrefix}:live`;
  }

  /** Announces a change. Call it after the commit, or readers would get the old state. Neither waits nor fails. */
  announce(topic: LiveTopic, part: string): void {
    if (this.redis.status !== 'ready') return;
    const recent = this.recentKey(topic);
    this.redis
      .pipeline()
      .zadd(recent, Date.now(), part)
      .zremrangebyrank(recent, 0, -1 - MOST_RECENT)
      .pexpire(recent, RECENT_MS)
      .publish(this.name, JSON.stringify({ topic, part }))
      .exec()
      .catch((error: Error) => this.log.debug(`An update was lost: ${error.message}`));
  }

  /** The parts of a topic that were announced in the last minutes, oldest first; empty while Redis is unavailable. */
  async recent(topic: LiveTopic): Promise<string[]> {
    return this.redis.zrangebyscore(this.recentKey(topic), Date.now() - RECENT_MS, '+inf').catch(() => []);
  }

  /** Resolves when updates are received, or Redis is unavailable. Only a process with followers subscribes. */
  listen(listener: UpdateListener): Promise<void> {
    this.listening ??= new Promise((resolve) => this.connect(listener, resolve));
    return this.listening;
  }

  /** Pings Redis, to detect a connection that broke without an error. */
  check(): void {
    const { subscriber } = this;
    if (subscriber?.status === 'ready') subscriber.ping().catch(() => subscriber.disconnect(true));
  }

  onApplicationShutdown(): void {
    this.subscriber?.disconnect();
  }

  private connect(listener: UpdateListener, ready: () => void): void {
    const subscriber = anotherConnection(this.redis, { lazyConnect: true, autoResubscribe: false });
    this.subscriber = subscriber;
    let isWaitedFor = true;
    const goOn = () => {
      isWaitedFor = false;
      ready();
    };
    const timer = setTimeout(goOn, PATIENCE_MS).unref();
    const onReady = async () => {
      await subscriber.subscribe(this.name).catch(() => undefined);
      clearTimeout(timer);
      if (isWaitedFor) goOn();
      else listener.onGap();
    };
    subscriber.on('error', (error) => this.log.debug(error.message));
    subscriber.on('message', (_, text) => this.hear(listener, text));
    subscriber.on('ready', () => void onReady());
    // The client of a Cluster has subscribed at another node.
    subscriber.on('+subscriber', () => listener.onGap());
    subscriber.connect().catch(() => undefined);
  }

  /** Ignores messages of other programs under this name. */
  private hear(listener: UpdateListener, text: string): void {
    try {
      const { topic, part } = readJson<{ topic: LiveTopic; part: string }>(text);
      listener.onUpdate(topic, part);
    } catch (error) {
      this.log.debug(`An update could not be read: ${String(error)}`);
    }
  }

  private recentKey({ workspaceId, kind, params }: LiveTopic): string {
    return [this.name, workspaceId, kind, ...params].join(':');
  }
}
