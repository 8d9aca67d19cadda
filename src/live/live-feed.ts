import { setTimeout as wait } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Semaphore } from 'async-mutex';
import { isPassingFailure } from '../platform/errors/failures.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { LiveChannels, type LiveMessage, type LiveTopic } from './live-channel.js';
import { LiveUpdates, type UpdateListener } from './live-updates.js';

/** Concurrent reads of topics: there may be many, and other requests need the database too. */
const READS_AT_ONCE = 2;
/** Shortest time between two reads of a topic; changes in between become one message. */
const INTERVAL_MS = 100;
/** Pause before a retry while the database is unavailable. */
const AGAIN_MS = 1000;

export interface Follower {
  /** Must not wait. */
  tell(messages: LiveMessage[]): void;
}

interface FollowedTopic {
  topic: LiveTopic;
  followers: Set<Follower>;
  /** Followers that have not got any message yet. */
  newcomers: Set<Follower>;
  /** Parts that changed since the last read. */
  parts: Set<string>;
  isBusy: boolean;
}

/** Reads the topics that clients of this process follow and sends them messages, one read per topic at a time. */
@Injectable()
export class LiveFeed implements UpdateListener {
  private readonly log = new Logger(LiveFeed.name);
  private readonly topics = new Map<string, FollowedTopic>();
  private readonly reads = new Semaphore(READS_AT_ONCE);

  constructor(
    private readonly channels: LiveChannels,
    private readonly updates: LiveUpdates,
    private readonly metrics: Metrics,
  ) {}

  /** Adds a follower, which gets the current state first. Returns the function that removes it. */
  join(topic: LiveTopic, follower: Follower): () => void {
    const key = keyOf(topic);
    const followed = this.topics.get(key) ?? {
      topic,
      followers: new Set(),
      newcomers: new Set(),
      parts: new Set(),
      isBusy: false,
    };
    this.topics.set(key, followed);
    followed.followers.add(follower);
    followed.newcomers.add(follower);
    void this.work(followed);
    return () => this.leave(key, followed, follower);
  }

  onUpdate(topic: LiveTopic, part: string): void {
    const followed = this.topics.get(keyOf(topic));
    if (!followed) return;
    followed.parts.add(part);
    void this.work(followed);
  }

  /** Sends all followers the current state. */
  onGap(): void {
    for (const followed of this.topics.values()) {
      for (const follower of followed.followers) followed.newcomers.add(follower);
      void this.work(followed);
    }
  }

  private leave(key: string, followed: FollowedTopic, follower: Follower): void {
    followed.followers.delete(follower);
    followed.newcomers.delete(follower);
    if (followed.followers.size > 0) return;
    followed.parts.clear();
    if (this.topics.get(key) === followed) this.topics.delete(key);
  }

  /** One loop per topic, so that messages are sent in the order of the reads. */
  private async work(followed: FollowedTopic): Promise<void> {
    if (followed.isBusy) return;
    followed.isBusy = true;
    while (followed.newcomers.size > 0 || followed.parts.size > 0) {
      const pause = await this.step(followed);
      await wait(pause, undefined, { ref: false });
    }
    followed.isBusy = false;
  }

  /** Returns the milliseconds to wait before the next step. */
  private async step(followed: FollowedTopic): Promise<number> {
    const newcomers = [...followed.newcomers];
    const parts = [...followed.parts];
    followed.newcomers.clear();
    followed.parts.clear();
    try {
      if (newcomers.length > 0) await this.welcome(followed, newcomers);
      if (parts.length > 0) this.tell(followed, followed.followers, await this.read(followed.topic, parts));
      return INTERVAL_MS;
    } catch (error) {
      if (!isPassingFailure(error)) {
        this.log.error(`A live channel of the kind ${followed.topic.kind} could not be read: ${String(error)}`);
        return INTERVAL_MS;
      }
      for (const follower of newcomers) if (followed.followers.has(follower)) followed.newcomers.add(follower);
      if (followed.followers.size > 0) for (const part of parts) followed.parts.add(part);
      return AGAIN_MS;
    }
  }

  private async welcome(followed: FollowedTopic, newcomers: Follower[]): Promise<void> {
    const { topic } = followed;
    // In this order no change in between is missed.
    await this.updates.listen(this);
    const recent = await this.updates.recent(topic);
    const messages = await this.reads.runExclusive(() => this.channels.plugin(topic).readFirst(topic, recent));
    this.tell(followed, newcomers, messages);
  }

  private read(topic: LiveTopic, parts: string[]): Promise<LiveMessage[]> {
    return this.reads.runExclusive(() => this.channels.plugin(topic).read(topic, parts));
  }

  private tell({ topic, followers }: FollowedTopic, whom: Iterable<Follower>, messages: LiveMessage[]): void {
    if (messages.length === 0) return;
    for (const follower of whom) {
      if (!followers.has(follower)) continue;
      follower.tell(messages);
      this.metrics.counters.liveMessages.inc({ kind: topic.kind }, messages.length);
    }
  }
}

function keyOf({ workspaceId, kind, params }: LiveTopic): string {
  return [workspaceId, kind, ...params].join(':');
}
