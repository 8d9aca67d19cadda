/**
 * Texts as Python counts them: in code points. Nearly all texts have no character beyond 16 bits, and for those
 * nothing needs to be taken apart.
 */
const WIDE = /[\ud800-\udfff]/;

export function characters(text: string): string[] {
  return Array.from(text);
}

export function countCharacters(text: string): number {
  return WIDE.test(text) ? characters(text).length : text.length;
}

/** `text[start:stop]`; negative positions count from the end. */
export function sliceCharacters(text: string, start: number, stop?: number): string {
  return WIDE.test(text) ? characters(text).slice(start, stop).join('') : text.slice(start, stop);
}

/** `text[index]`, undefined when there is none. */
export function characterAt(text: string, index: number): string | undefined {
  return WIDE.test(text) ? characters(text).at(index) : text.at(index);
}
