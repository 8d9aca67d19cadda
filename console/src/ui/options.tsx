/** The choices of a select: values, and what they are called. */
export function Options({ pairs }: { pairs: readonly (readonly [value: string, title: string])[] }) {
  return pairs.map(([value, title]) => (
    <option key={value} value={value}>
      {title}
    </option>
  ));
}
