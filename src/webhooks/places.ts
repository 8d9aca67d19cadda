import type { WebhookJob } from './webhook-bell.js';

/** Sends some of what is due for a webhook; gives whether more may be. */
type Send = (job: WebhookJob) => Promise<boolean>;

/**
 * How many webhooks of one workspace a process works for at the same time, so that slow receivers of one customer leave
 * places for those of others. Further webhooks wait in their turn.
 */
export class Places {
  /** By workspace. */
  private readonly taken = new Map<number, number>();
  private readonly waiting = new Map<number, Set<number>>();

  constructor(private readonly ofOneWorkspace: number) {}

  /** Returns at once where all places of the workspace are taken: whoever has one goes on with the webhook. */
  async take({ workspaceId, webhookId }: WebhookJob, send: Send): Promise<void> {
    const waiting = this.waiting.get(workspaceId) ?? new Set();
    this.waiting.set(workspaceId, waiting.add(webhookId));
    const taken = this.taken.get(workspaceId) ?? 0;
    if (taken >= this.ofOneWorkspace) return;
    this.taken.set(workspaceId, taken + 1);
    try {
      await serve(waiting, (id) => send({ workspaceId, webhookId: id }));
    } finally {
      this.leave(workspaceId);
    }
  }

  private leave(workspaceId: number): void {
    const left = this.taken.get(workspaceId)! - 1;
    if (left > 0) this.taken.set(workspaceId, left);
    else {
      this.taken.delete(workspaceId);
      this.waiting.delete(workspaceId);
    }
  }
}

/** Also those that come to wait meanwhile. */
async function serve(waiting: Set<number>, send: (webhookId: number) => Promise<boolean>): Promise<void> {
  for (const webhookId of waiting) {
    waiting.delete(webhookId);
    if (await send(webhookId)) waiting.add(webhookId);
  }
}
