/** Items by key, in the order in which the keys come. As `Map.groupBy` of later versions of Node. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Neighbours that together are not larger than the limit; one that is larger is a group of its own. */
export function groupBySize<T extends { size: number }>(items: T[], limit: number): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const item of items) {
    if (groups.length === 0 || item.size > room) {
      groups.push([]);
      room = limit;
    }
    groups.at(-1)!.push(item);
    room -= item.size;
  }
  return groups;
}
