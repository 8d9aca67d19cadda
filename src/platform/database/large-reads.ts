import { Injectable } from '@nestjs/common';
import { type TurnOwner, Turns } from '../turns.js';

/** Bytes as they are stored. The compression of PostgreSQL makes up to 255 bytes in memory of one, so this may be 16 MB. */
const LARGE = 64 * 1024;

export const isLarge = (bytes: number): boolean => bytes >= LARGE;

/** Longest turn: a slow reader keeps its memory longer, but blocks no other. */
const LONGEST_TURN_MS = 2000;

/** The time in which something is made does not count, however long the database takes. */
interface LargeTurn {
  /** Ends the turn when the consumer takes too long. */
  limit(): void;
  end(): void;
}

const NO_TURN: LargeTurn = { limit: () => undefined, end: () => undefined };

/**
 * Values of many megabytes that are in memory as a whole while they are built and sent. Only one is handled at a time, so that a
 * process needs the memory of one. Workspaces and their keys take turns.
 */
@Injectable()
export class LargeReads {
  private readonly waiting = new Turns<() => void>();
  private isBusy = false;

  /** Yields what `make` reads, which takes `bytes` in the database. Its turn ends when the consumer asks for more. */
  async *take<T>(owner: TurnOwner, bytes: number, make: () => Promise<T>): AsyncGenerator<T> {
    const turn = isLarge(bytes) ? await this.enter(owner) : NO_TURN;
    try {
      const made = await make();
      turn.limit();
      yield made;
    } finally {
      turn.end();
    }
  }

  private async enter(owner: TurnOwner): Promise<LargeTurn> {
    if (this.isBusy) await new Promise<void>((resolve) => this.waiting.add(owner, resolve));
    this.isBusy = true;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = () => {
      clearTimeout(timer);
      if (!isOver) this.next();
      isOver = true;
    };
    return { limit: () => (timer = setTimeout(end, LONGEST_TURN_MS)), end };
  }

  /** It stays busy until the next turn has begun, so that no other can start in between. */
  private next(): void {
    const begin = this.waiting.take();
    if (begin) begin();
    else this.isBusy = false;
  }
}
