import { tokensOf } from './python-pattern.js';

const REPETITION = /^\{(\d*)(?:(,)(\d*))?\}$/;
/** Ranges of characters that the complement of a class has within another one, about. */
const COMPLEMENT = 500;

/**
 * The size of a compiled pattern, about: in it counted repetitions are written out, and complements of classes are lists of ranges. A
 * short pattern can take a second and hundreds of megabytes to compile.
 */
export function sizeOfPattern(pattern: string): number {
  const groups = [0];
  let last = 0;
  const add = (size: number) => (groups[groups.length - 1]! += size);
  for (const { text, inClass } of tokensOf(pattern)) {
    if (inClass) add(/^\\[WDS]$/.test(text) ? COMPLEMENT : 0);
    else if (text === ')' && groups.length > 1) add((last = groups.pop()! + 1));
    else if (/^\((?!.*\)$)/.test(text)) groups.push(0);
    else if (REPETITION.test(text)) {
      const written = last * countOf(text);
      add(written - last);
      last = written;
    } else if (!/^[*+?]$/.test(text)) add((last = 1));
  }
  return groups.reduce((sum, size) => sum + size, 0);
}

/** The copies that a repetition needs: `{2,5}` is five, `{2,}` three. */
function countOf(text: string): number {
  const [, least = '', comma, most = ''] = REPETITION.exec(text)!;
  return Math.max(1, Number(most || least) + (comma && most === '' ? 1 : 0));
}
