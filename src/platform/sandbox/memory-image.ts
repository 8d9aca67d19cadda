/** Shorter runs of zeros are copied like other bytes. */
const STRETCH = 64 << 10;
/** A longer run is the stack, or memory that was never allocated: code reads there only its own writes. */
const UNREAD = 1 << 20;

interface Part {
  at: number;
  bytes: Uint8Array;
}

/** A snapshot of the memory of an interpreter, which can restore it. Memories only ever grow. */
export class MemoryImage {
  private readonly parts: Part[] = [];

  /** Takes the snapshot of `memory`. */
  constructor(memory: Uint8Array) {
    const words = new Uint32Array(memory.buffer);
    let from = 0;
    let end = 0;
    for (let index = 0; index < words.length; index++) {
      if (words[index] === 0) continue;
      const at = index * 4;
      if (at - end >= STRETCH) {
        this.add(memory, from, end);
        from = at;
      }
      end = at + 4;
    }
    this.add(memory, from, end);
  }

  /** Restores everything that code can read. */
  restore(memory: Uint8Array): void {
    let end = 0;
    for (const { at, bytes } of this.parts) {
      if (at - end < UNREAD) memory.fill(0, end, at);
      memory.set(bytes, at);
      end = at + bytes.length;
    }
  }

  private add(memory: Uint8Array, from: number, to: number): void {
    if (to > from) this.parts.push({ at: from, bytes: memory.slice(from, to) });
  }
}
