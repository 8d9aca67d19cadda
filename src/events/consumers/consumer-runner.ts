import type { OccurredEvent } from './occurred-event.js';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { isPassingDatabaseFailure, isRetryable } from '../../platform/errors/failures.js';
import { waitAfter } from '../../platform/queue/retries.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import type { KnownConsumer } from './event-consumer.js';
import {
  arrive,
  createPosition,
  lockPosition,
  moveTo,
  type PositionKey,
  readNext,
  recordFailure,
} from './event-positions.queries.js';
import type { Left } from './waiting-workspaces.js';

/** Events per transaction of a consumer. */
const BATCH = 200;

/** How one transaction ended. */
interface Step {
  left: Left;
  /** How many events failed together and have to be tried one by one. */
  failed?: number;
  afterCommit?: void | (() => void);
}

/** Delivers new events to consumers. A worker locks the position it moves, so events are consumed in order. */
@Injectable()
export class ConsumerRunner {
  private readonly log = new Logger(ConsumerRunner.name);

  constructor(
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Delivers the next events of a workspace to a consumer. After a failure it delivers them one by one, up to the failing one. */
  async run(consumer: KnownConsumer, workspaceId: number): Promise<Left> {
    let { left, failed = 0 } = await this.step(consumer, workspaceId, BATCH);
    for (; failed > 0 && left === 'more'; failed--) ({ left } = await this.step(consumer, workspaceId, 1));
    return left;
  }

  private async step(consumer: KnownConsumer, workspaceId: number, limit: number): Promise<Step> {
    const key = { workspaceId, consumer: consumer.options.name };
    const step = await this.db.transaction(async (tx): Promise<Step> => {
      const position = await lockPosition(tx, key);
      if (!position) return { left: (await createPosition(tx, key)) ? 'more' : 'held' };
      if (position.waits) return { left: 'nothing' };
      const { attempts } = position;
      const size = attempts > 0 ? 1 : limit;
      const events = await readNext(tx, key, size);
      if (events.length === 0) return { left: (await arrive(tx, key)) ? 'more' : 'nothing' };
      return this.consume(tx, { consumer, key, events, attempts, isLast: events.length < size });
    });
    step.afterCommit?.();
    return step;
  }

  private async consume(tx: EntityManager, batch: Batch): Promise<Step> {
    const { key, events } = batch;
    let afterCommit: Step['afterCommit'];
    try {
      afterCommit = await give(tx, batch);
    } catch (error) {
      // Not a failure of the consumer: the whole transaction is retried, now or by the next sweep.
      if (isRetryable(error) || isPassingDatabaseFailure(error)) throw error;
      return events.length > 1 ? { left: 'more', failed: events.length } : this.fail(tx, batch, error);
    }
    if (batch.isLast) await arrive(tx, key);
    else await moveTo(tx, key, events.at(-1)!.id);
    this.count(key, 'consumed', events.length);
    return { left: 'more', afterCommit };
  }

  /** Counts the failure; after the last try the event is skipped, so that it does not block the consumer forever. */
  private async fail(tx: EntityManager, { key, events: [event], attempts }: Batch, error: unknown): Promise<Step> {
    const what = `The consumer ${key.consumer} failed at event ${event!.id} of workspace ${key.workspaceId}`;
    const waitMs = waitAfter(attempts + 1, this.config.eventBackoffMs);
    if (waitMs === null) {
      this.log.error(`${what} for the last time and passes over it: ${String(error)}`);
      await moveTo(tx, key, event!.id);
      this.count(key, 'passed_over', 1);
      return { left: 'more' };
    }
    this.log.warn(`${what} and will be given it again: ${String(error)}`);
    await recordFailure(tx, key, waitMs);
    this.count(key, 'failed', 1);
    return { left: 'nothing' };
  }

  private count({ consumer }: PositionKey, outcome: 'consumed' | 'failed' | 'passed_over', events: number): void {
    this.metrics.counters.eventsConsumed.inc({ consumer, outcome }, events);
  }
}

interface Batch {
  consumer: KnownConsumer;
  key: PositionKey;
  events: OccurredEvent[];
  /** Failures of the first event. */
  attempts: number;
  /** Whether these are the last events of the snapshot. */
  isLast: boolean;
}

/** Runs in a savepoint: the writes of a failing consumer are undone while its position stays locked. */
async function give(tx: EntityManager, { consumer, key, events }: Batch): Promise<void | (() => void)> {
  const { types } = consumer.options;
  const wanted = types ? events.filter(({ type }) => types.includes(type)) : events;
  if (wanted.length === 0) return;
  return tx.transaction((savepoint) => consumer.plugin.consume(savepoint, key.workspaceId, wanted));
}
