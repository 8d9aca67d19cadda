/** A sort value; NaN for a missing one. The tie decides between equal values. */
export interface SortKey {
  value: number;
  tie: number;
}

export type Direction = 'asc' | 'desc';

/** The sort order. Missing values come last in either direction by default. */
export interface KeyOrder {
  direction: Direction;
  missingFirst?: boolean;
}

/** Negative when `a` comes first. */
export function compareKeys(a: SortKey, b: SortKey, { direction, missingFirst = false }: KeyOrder): number {
  const aMissing = Number.isNaN(a.value);
  if (aMissing !== Number.isNaN(b.value)) return aMissing === missingFirst ? -1 : 1;
  const sign = direction === 'asc' ? 1 : -1;
  return sign * (aMissing || a.value === b.value ? a.tie - b.tie : a.value - b.value);
}

/** Keeps the first of many keys, in a heap whose root is the last of those that are kept. */
export class FirstKeys<Key extends SortKey> {
  private readonly heap: Key[] = [];

  constructor(
    private readonly most: number,
    private readonly order: KeyOrder,
  ) {}

  /** Whether a key like this one would be kept. */
  takes(key: SortKey): boolean {
    return this.heap.length < this.most || this.isBefore(key, this.heap[0]!);
  }

  add(key: Key): void {
    const { heap } = this;
    if (heap.length < this.most) {
      heap.push(key);
      this.rise(heap.length - 1);
    } else if (this.takes(key)) {
      heap[0] = key;
      this.sink();
    }
  }

  sorted(): Key[] {
    return this.heap.toSorted((a, b) => compareKeys(a, b, this.order));
  }

  private isBefore(a: SortKey, b: SortKey): boolean {
    return compareKeys(a, b, this.order) < 0;
  }

  private rise(at: number): void {
    const { heap } = this;
    for (let above = (at - 1) >> 1; at > 0 && this.isBefore(heap[above]!, heap[at]!); above = (at - 1) >> 1) {
      [heap[at], heap[above]] = [heap[above]!, heap[at]!];
      at = above;
    }
  }

  private sink(): void {
    const { heap } = this;
    for (let at = 0; ;) {
      let last = at;
      for (const below of [2 * at + 1, 2 * at + 2]) {
        if (below < heap.length && this.isBefore(heap[last]!, heap[below]!)) last = below;
      }
      if (last === at) return;
      [heap[at], heap[last]] = [heap[last]!, heap[at]!];
      at = last;
    }
  }
}
