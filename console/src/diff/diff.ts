export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/**
 * Beyond this many comparisons the middle of two texts counts as replaced: nobody reads such a difference line by line.
 */
const MOST_COMPARISONS = 4_000_000;

/** The lines of two texts, marked as removed, added or the same, with as few marked lines as possible. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const same = (text: string): DiffLine => ({ kind: 'same', text });
  return [
    ...a.slice(0, head).map(same),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ];
}

/** Lines outside the longest common subsequence are differences. */
function middle(a: string[], b: string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  const removed = (text: string) => lines.push({ kind: 'removed', text });
  const added = (text: string) => lines.push({ kind: 'added', text });
  if (a.length * b.length > MOST_COMPARISONS) {
    a.forEach(removed);
    b.forEach(added);
    return lines;
  }
  const common = commonLengths(a, b);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i]! });
      i++;
      j++;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) removed(a[i++]!);
    else added(b[j++]!);
  }
  a.slice(i).forEach(removed);
  b.slice(j).forEach(added);
  return lines;
}

/** Number of lines that the rests of two texts have in common, from each pair of lines on. */
function commonLengths(a: string[], b: string[]): Uint32Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}
