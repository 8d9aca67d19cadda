import type { Readable } from 'node:stream';
import type { Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';

/** Bytes for which there is room at first. It doubles as they come: what a client announces costs nothing. */
const FIRST_ROOM = 16 * 1024;

export interface BodyRules {
  /** What the client says the length is; 0 when it does not say. */
  announced: number;
  pace: Pick<Config, 'bodyTimeLimitMs' | 'bodyLeastBytesPerSecond' | 'bodySpeedWindowMs'>;
  /** Told how many bytes have arrived; throws when that is too many. */
  keep(bytes: number): void;
}

/**
 * All bytes of a body, in one piece. Rejects with what `keep` throws, and with `request_too_slow`. What is still to come
 * then is thrown away as it comes, so that a client that is still sending gets to read the answer.
 */
export function readBody(body: Readable, { announced, pace, keep }: BodyRules): Promise<Buffer> {
  const collected = new GrowingBuffer(announced);
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      stopWatching();
      body.off('data', onData).off('end', onEnd).off('error', onError);
      finish();
    };
    const fail = (error: unknown) =>
      settle(() => {
        // A connection that fails later on is nobody's concern any more.
        body.on('error', () => undefined).resume();
        reject(error as Error);
      });
    const onData = (piece: Buffer) => {
      try {
        keep(collected.length + piece.length);
        collected.add(piece);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => settle(() => resolve(collected.take()));
    const onError = (error: Error) => settle(() => reject(error));
    const stopWatching = watchPace(
      pace,
      () => collected.length,
      () => fail(PlatformErrors.request_too_slow()),
    );
    body.on('data', onData).on('end', onEnd).on('error', onError);
  });
}

/** Looks once in a while how much has come since. Gives a function that stops it. */
function watchPace(pace: BodyRules['pace'], received: () => number, onTooSlow: () => void): () => void {
  const { bodyTimeLimitMs, bodyLeastBytesPerSecond, bodySpeedWindowMs } = pace;
  const least = (bodyLeastBytesPerSecond * bodySpeedWindowMs) / 1000;
  const end = performance.now() + bodyTimeLimitMs;
  let before = 0;
  const look = () => {
    const bytes = received();
    const left = end - performance.now();
    if (left <= 0 || (bytes - before < least && windowMs === bodySpeedWindowMs)) return onTooSlow();
    before = bytes;
    windowMs = Math.min(bodySpeedWindowMs, left);
    timer = setTimeout(look, windowMs);
  };
  let windowMs = Math.min(bodySpeedWindowMs, bodyTimeLimitMs);
  let timer = setTimeout(look, windowMs);
  return () => clearTimeout(timer);
}

/** Collects pieces in one block of memory: a list of them would cost a hundred bytes for each, which may hold only one. */
class GrowingBuffer {
  length = 0;
  private block: Buffer;

  constructor(private readonly expected: number) {
    this.block = Buffer.allocUnsafe(expected > 0 ? Math.min(expected, FIRST_ROOM) : FIRST_ROOM);
  }

  add(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.block.length) this.growTo(length);
    piece.copy(this.block, this.length);
    this.length = length;
  }

  take(): Buffer {
    return this.block.subarray(0, this.length);
  }

  private growTo(length: number): void {
    const doubled = Math.max(length, this.block.length * 2);
    const room = this.expected >= length ? Math.min(doubled, this.expected) : doubled;
    const larger = Buffer.allocUnsafe(room);
    this.block.copy(larger, 0, 0, this.length);
    this.block = larger;
  }
}
