/** Choices by their values, the empty one first: keys that look like numbers would come before it. */
export const pairsOf = (named: Record<string, string>): [value: string, title: string][] =>
  Object.entries(named).toSorted(([a], [b]) => Number(b === '') - Number(a === ''));

/** The choices of a select: values, and what they are called. */
export function Options({ pairs }: { pairs: readonly (readonly [value: string, title: string])[] }) {
  return pairs.map(([value, title]) => (
    <option key={value} value={value}>
      {title}
    </option>
  ));
}
