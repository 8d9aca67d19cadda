import type { Readable } from 'node:stream';
import type { Config } from '../config/config.js';
import { PlatformErrors } from '../errors/platform.errors.js';

/** Initial buffer size. It doubles as bytes arrive: an announced length allocates nothing. */
const FIRST_ROOM = 16 * 1024;

export interface BodyRules {
  /** The announced length; 0 without one. */
  announced: number;
  pace: Pick<Config, 'bodyTimeLimitMs' | 'bodyLeastBytesPerSecond' | 'bodySpeedWindowMs'>;
  /** Called with the number of received bytes; throws when they are too many. */
  keep(bytes: number): void;
}

/**
 * All bytes of a body, in one piece. Rejects with the error of `keep`, and with `request_too_slow`. The rest of the body is then
 * discarded as it arrives, so that a client that is still sending can read the answer.
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
        // Later failures of the connection are ignored.
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

/** Checks the speed of a body periodically. Returns a function that stops it. */
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

/** Collects pieces in one buffer: a list would cost a hundred bytes per piece, which may contain a single byte. */
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
