/** What was made lately, by its text. The oldest goes when there is no room. */
export class BoundedCache<T> {
  private readonly entries = new Map<string, T>();

  constructor(private readonly limit: number) {}

  /** The known value, or a new one; nothing is kept of a `make` that throws. */
  get(key: string, make: () => T): T {
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.entries.size >= this.limit) this.entries.delete(this.entries.keys().next().value!);
    this.entries.set(key, made);
    return made;
  }
}
