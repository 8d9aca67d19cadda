import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { addRefusals, readRefusals, type RefusalCount } from './refusals.queries.js';

const HOUR_MS = 3_600_000;
/** What has been counted is written at most so often, however much is refused. */
const WRITE_MS = 5000;
/** Reasons that wait to be written, of all workspaces. Further ones are left out until then: memory has to end somewhere. */
const MOST_WAITING = 10_000;

const hourOf = (ms: number): Date => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS);

type Refused = Pick<RefusalCount, 'what' | 'reason'>;

/**
 * Counts what is refused at ingestion, in this process, and adds it to the counts of the workspace once in a while: a flood of
 * refusals costs a statement every few seconds. A process that dies takes what it has not written with it.
 */
@Injectable()
export class RefusalCounts implements OnModuleDestroy {
  private readonly log = new Logger(RefusalCounts.name);
  /** By workspace, and in it by hour, kind and reason. */
  private readonly waiting = new Map<number, Map<string, RefusalCount>>();
  private size = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly db: DataSource) {}

  /** `reason` is one of a few texts that say nothing of what was sent. Never waits and never fails. */
  add(workspaceId: number, refused: Refused, count = 1): void {
    const now = Date.now();
    this.put(workspaceId, { ...refused, hour: hourOf(now), count, lastAt: new Date(now) });
  }

  /** Writes what has been counted. What cannot be written now is written later. */
  async write(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const taken = [...this.waiting];
    this.waiting.clear();
    this.size = 0;
    for (const [workspaceId, counts] of taken) {
      try {
        await addRefusals(this.db.manager, workspaceId, [...counts.values()]);
      } catch (error) {
        this.log.warn(`Refusals of workspace ${workspaceId} were not counted yet: ${String(error)}`);
        for (const each of counts.values()) this.put(workspaceId, each);
      }
    }
  }

  /** What was refused in the last so many hours, by reason, the most first; from the beginning of an hour on. */
  async read(workspaceId: number, hours: number): Promise<{ since: Date; counts: Omit<RefusalCount, 'hour'>[] }> {
    const since = hourOf(Date.now() - hours * HOUR_MS);
    return { since, counts: await readRefusals(this.db.manager, workspaceId, since) };
  }

  async onModuleDestroy(): Promise<void> {
    await this.write();
    if (this.timer) clearTimeout(this.timer);
  }

  private put(workspaceId: number, added: RefusalCount): void {
    const counts = this.waiting.get(workspaceId) ?? new Map<string, RefusalCount>();
    const key = `${added.hour.getTime()} ${added.what} ${added.reason}`;
    const known = counts.get(key);
    if (known) {
      known.count += added.count;
      known.lastAt = added.lastAt;
    } else if (this.size < MOST_WAITING) {
      this.size++;
      this.waiting.set(workspaceId, counts.set(key, added));
    }
    this.timer ??= setTimeout(() => void this.write(), WRITE_MS).unref();
  }
}
