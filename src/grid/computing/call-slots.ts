import { WorkspacePlaces } from '../../platform/work/workspace-places.js';

interface Waiting {
  workspaceId: number;
  begin: () => void;
}

/**
 * Limits the running calls of this process and those whose results are not stored yet: others have to pay for them
 * again if it dies. Cells are claimed by EXTERNAL_CONCURRENCY, whose slots are free as soon as a call has ended, so the
 * next cells are read meanwhile.
 */
export class CallSlots {
  private readonly slots: WorkspacePlaces;
  /** In the order of their arrival. */
  private readonly waiting = new Set<Waiting>();

  constructor(most: number, mostOfOneWorkspace: number) {
    this.slots = new WorkspacePlaces(most, mostOfOneWorkspace);
  }

  /** Resolves when a call may begin. Rejects with the reason of the signal when it is aborted before. */
  take(workspaceId: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.waiting.delete(waiting);
        reject(signal.reason as Error);
      };
      const begin = () => {
        signal.removeEventListener('abort', abort);
        this.waiting.delete(waiting);
        this.slots.take(workspaceId, 1);
        resolve();
      };
      const waiting = { workspaceId, begin };
      if (signal.aborted) return abort();
      if (this.slots.roomOf(workspaceId) > 0) return begin();
      signal.addEventListener('abort', abort, { once: true });
      this.waiting.add(waiting);
    });
  }

  leave(workspaceId: number): void {
    this.slots.leave(workspaceId, 1);
    for (const waiting of this.waiting) if (this.slots.roomOf(waiting.workspaceId) > 0) waiting.begin();
  }
}
