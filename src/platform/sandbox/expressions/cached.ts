/**
 * `make` with a memory of its last results, at most `limit`. Only for processes of the sandbox, where all texts are of one
 * workspace; nothing is kept of a `make` that throws.
 */
export function cached<T>(limit: number, make: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    if (results.size >= limit) results.delete(results.keys().next().value!);
    results.set(text, made);
    return made;
  };
}
