import { Process, Processor } from '@nestjs/bull';
import type { BeforeApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Job } from 'bull';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { EVENT_QUEUE, type NewsJob } from './event-notifier.js';
import { ConsumerRunner } from './consumers/consumer-runner.js';
import { EventConsumers } from './consumers/event-consumer.js';
import { findWaiting } from './consumers/event-positions.queries.js';
import { WaitingWorkspaces } from './consumers/waiting-workspaces.js';

/** Concurrent workspaces per consumer and process. Each takes a connection to the database. */
const WORKSPACES_AT_ONCE = 2;

/** Every consumer has its own queue of workspaces, so that a slow one delays no other. */
@Processor(EVENT_QUEUE)
export class EventsProcessor implements OnModuleDestroy, BeforeApplicationShutdown {
  /** By the name of the consumer. */
  private readonly waiting = new Map<string, WaitingWorkspaces>();
  private stopping: Promise<unknown> | null = null;

  constructor(
    private readonly consumers: EventConsumers,
    private readonly runner: ConsumerRunner,
    private readonly db: DataSource,
  ) {}

  /** Does not wait for consumers: while a job runs, no other can be added for the workspace. */
  @Process()
  work({ data: { workspaceId } }: Job<NewsJob>): void {
    for (const name of this.consumers.names()) this.add(name, workspaceId);
  }

  /** Finds events whose job was lost, and events that are due for a retry. */
  @Sweep(EVENT_QUEUE)
  async findWork(): Promise<void> {
    const found = await findWaiting(this.db.manager, this.consumers.names());
    for (const { consumer, workspaceId } of found) this.add(consumer, workspaceId);
  }

  onModuleDestroy(): void {
    this.stopping = Promise.all([...this.waiting.values()].map((waiting) => waiting.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopping;
  }

  private add(name: string, workspaceId: number): void {
    if (this.stopping) return;
    const waiting = this.waiting.get(name) ?? this.newWaiting(name);
    waiting.add(workspaceId);
  }

  private newWaiting(name: string): WaitingWorkspaces {
    const consumer = this.consumers.get(name);
    const waiting = new WaitingWorkspaces(WORKSPACES_AT_ONCE, (workspaceId) => this.runner.run(consumer, workspaceId));
    this.waiting.set(name, waiting);
    return waiting;
  }
}
