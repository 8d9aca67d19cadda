import { Injectable } from '@nestjs/common';
import { type TurnOwner, Turns } from '../turns.js';

/** Bytes as they are stored, which may be a hundredth of what they become in memory. */
const LARGE = 256 * 1024;

export const isLarge = (bytes: number): boolean => bytes >= LARGE;

/** Somebody who reads slowly has the memory for longer, but keeps nobody waiting for longer. */
const LONGEST_TURN_MS = 2000;

/**
 * Things of many megabytes that are whole in memory while they are made and sent. That is done for one at a time, so that a
 * process needs the memory for one, however many ask. Workspaces and their keys take turns.
 */
@Injectable()
export class LargeReads {
  private readonly waiting = new Turns<() => void>();
  private isBusy = false;

  /** Yields what `make` reads, which takes `bytes` in the database. Its turn ends when the consumer asks for more. */
  async *take<T>(owner: TurnOwner, bytes: number, make: () => Promise<T>): AsyncGenerator<T> {
    const leave = isLarge(bytes) ? await this.enter(owner) : () => undefined;
    try {
      yield await make();
    } finally {
      leave();
    }
  }

  private async enter(owner: TurnOwner): Promise<() => void> {
    if (this.isBusy) await new Promise<void>((resolve) => this.waiting.add(owner, resolve));
    this.isBusy = true;
    const leave = () => {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      this.next();
    };
    let timer: NodeJS.Timeout | null = setTimeout(leave, LONGEST_TURN_MS);
    return leave;
  }

  /** It stays busy until the next one has begun, so that nobody comes in between. */
  private next(): void {
    const begin = this.waiting.take();
    if (begin) begin();
    else this.isBusy = false;
  }
}
