import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Places } from './places.js';
import type { WebhookJob } from './webhook-bell.js';

/** Receivers that answer when the test says so. */
class Receivers {
  readonly called: string[] = [];
  private readonly open = new Map<string, (more: boolean) => void>();

  send = ({ workspaceId, webhookId }: WebhookJob): Promise<boolean> => {
    const name = `${workspaceId}/${webhookId}`;
    this.called.push(name);
    return new Promise((resolve) => this.open.set(name, resolve));
  };

  async answer(name: string, more = false): Promise<void> {
    this.open.get(name)!(more);
    await setImmediate();
  }
}

function scene() {
  const [places, receivers] = [new Places(2), new Receivers()];
  const take = (workspaceId: number, webhookId: number) => places.take({ workspaceId, webhookId }, receivers.send);
  return { receivers, take };
}

describe('the places of a workspace', () => {
  it('are few, and what waits for one has its turn when another is done', async () => {
    const { receivers, take } = scene();
    const [first] = [take(1, 1), take(1, 2)];
    for (const webhook of [3, 4, 3]) await take(1, webhook);
    expect(receivers.called).toEqual(['1/1', '1/2']);
    await receivers.answer('1/1', true);
    expect(receivers.called.slice(2)).toEqual(['1/3']);
    await receivers.answer('1/3');
    await receivers.answer('1/4');
    expect(receivers.called.slice(3)).toEqual(['1/4', '1/1']);
    await receivers.answer('1/1');
    await first;
    expect(receivers.called).toHaveLength(5);
  });

  it('are not those of others', async () => {
    const { receivers, take } = scene();
    void [take(1, 1), take(1, 2), take(1, 3), take(2, 1)];
    await setImmediate();
    expect(receivers.called).toEqual(['1/1', '1/2', '2/1']);
  });

  it('are free again after a failure', async () => {
    const places = new Places(1);
    const job = { workspaceId: 1, webhookId: 1 };
    await expect(places.take(job, () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    let served = 0;
    await places.take(job, () => Promise.resolve(++served < 3));
    expect(served).toBe(3);
  });
});
