/** Shorter stretches of zeros are copied like everything else. */
const STRETCH = 64 << 10;
/** A longer stretch is the stack, or memory that was never allocated: code reads there only what it has written before. */
const UNREAD = 1 << 20;

interface Part {
  at: number;
  bytes: Uint8Array;
}

/** What the memory of an interpreter holds at one moment, and how it gets it back. Memories only ever grow. */
export class MemoryImage {
  private readonly parts: Part[] = [];

  /** Of `memory` as it is now. */
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

  /** Puts everything back that can be read. */
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
