import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';

/** Runs that end in another process are noticed within this time. */
const POLL_MS = 100;

const ENDED = new Statement<{ id: string }>(`
  SELECT r.id FROM unnest($2::bigint[]) w (id)
    JOIN workflow_runs r ON r.workspace_id = $1 AND r.id = w.id WHERE r.status <> 'running'`);

/** Waits for the ends of runs. One statement checks all awaited runs of a workspace in this process. */
@Injectable()
export class RunWaits implements OnApplicationShutdown {
  private readonly log = new Logger(RunWaits.name);
  private readonly waiting = new Map<string, { workspaceId: number; tell: Set<() => void> }>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly db: DataSource) {}

  /** Resolves when the run has ended; rejects with the reason of the signal when that is aborted first. */
  async until(workspaceId: number, id: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const wait = this.waiting.get(id) ?? { workspaceId, tell: new Set() };
    this.waiting.set(id, wait);
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        wait.tell.delete(end);
        if (wait.tell.size === 0 && this.waiting.get(id) === wait) this.waiting.delete(id);
        reject(signal.reason as Error);
      };
      const end = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      wait.tell.add(end);
      signal.addEventListener('abort', abort, { once: true });
      this.lookLater();
    });
  }

  /** These have ended. */
  tell(ids: string[]): void {
    for (const id of ids) {
      const wait = this.waiting.get(id);
      this.waiting.delete(id);
      for (const end of wait?.tell ?? []) end();
    }
  }

  onApplicationShutdown(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  private lookLater(): void {
    this.timer ??= setTimeout(() => void this.look(), POLL_MS).unref();
  }

  private async look(): Promise<void> {
    const workspaces = new Map<number, number[]>();
    for (const [id, { workspaceId }] of this.waiting)
      workspaces.set(workspaceId, [...(workspaces.get(workspaceId) ?? []), Number(id)]);
    try {
      for (const [workspaceId, ids] of workspaces) {
        const ended = await ENDED.run(this.db.manager, [workspaceId, int8Array(ids)]);
        this.tell(ended.map(({ id }) => id));
      }
    } catch (error) {
      this.log.debug(`Waiting for runs goes on: ${String(error)}`);
    }
    this.timer = null;
    if (this.waiting.size > 0) this.lookLater();
  }
}
