import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { addRefusals, readRefusals, type RefusalCount } from './refusals.queries.js';

const HOUR_MS = 3_600_000;
/** Minimum time between two writes, however many refusals there are. */
const WRITE_MS = 5000;
/**
 * Limit of reasons that wait to be written, over all workspaces. Further ones are dropped until then, to limit memory.
 */
const MOST_WAITING = 10_000;

const hourOf = (ms: number): Date => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS);

type Refused = Pick<RefusalCount, 'what' | 'reason'>;

/**
 * Counts refusals at ingestion in this process, and adds them to the counts of the workspace every few seconds: even a
 * flood of refusals costs few statements. Counts that are not written yet are lost when the process dies.
 */
@Injectable()
export class RefusalCounts implements OnModuleDestroy {
  private readonly log = new Logger(RefusalCounts.name);
  /** By workspace, and in it by hour, kind and reason. */
  private readonly waiting = new Map<number, Map<string, RefusalCount>>();
  private size = 0;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly db: DataSource) {}

  /** `reason` is one of a few texts without content of the request. Never waits and never fails. */
  add(workspaceId: number, refused: Refused, count = 1): void {
    const now = Date.now();
    this.put(workspaceId, { ...refused, hour: hourOf(now), count, lastAt: new Date(now) });
  }

  /** Writes the counts. Those that cannot be written now are written later. */
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

  /** Refusals of the last hours by reason, the most frequent first. Begins with a full hour. */
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
