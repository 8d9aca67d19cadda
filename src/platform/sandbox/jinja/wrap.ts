import { characters, countCharacters } from './characters.js';

export interface WrapOptions {
  breaksWords: boolean;
  breaksHyphens: boolean;
}

/** One line as lines of at most `width` characters; whitespace at the breaks is dropped. */
export function wrapText(line: string, width: number, options: WrapOptions): string[] {
  const chunks = splitChunks(line, options.breaksHyphens).flatMap((chunk) =>
    options.breaksWords ? breakChunk(chunk, Math.max(1, width)) : [chunk],
  );
  const lines: string[] = [];
  let current = '';
  for (const chunk of chunks) {
    const fits = countCharacters(current + chunk) <= width;
    if (!fits && current.trim() !== '') {
      lines.push(current.trimEnd());
      current = '';
    }
    // A line never starts with the space it was broken at; only the first one keeps its indentation.
    if (current !== '' || chunk.trim() !== '' || lines.length === 0) current += chunk;
  }
  if (current.trim() !== '') lines.push(current.trimEnd());
  return lines.length === 0 ? [''] : lines;
}

function splitChunks(line: string, breaksHyphens: boolean): string[] {
  const pattern = breaksHyphens ? /\s+|[^\s-]*[^\s\d-]-+(?=\p{L})|[^\s-]+|-+/gu : /\s+|\S+/g;
  return line.match(pattern) ?? [];
}

function breakChunk(chunk: string, width: number): string[] {
  const all = characters(chunk);
  if (all.length <= width || chunk.trim() === '') return [chunk];
  const pieces: string[] = [];
  for (let at = 0; at < all.length; at += width) pieces.push(all.slice(at, at + width).join(''));
  return pieces;
}
