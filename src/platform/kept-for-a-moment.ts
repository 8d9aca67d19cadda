interface Kept<T> {
  value: Promise<T>;
  untilMs: number;
}

/** A short-lived cache: many lookups within a moment cost one. A lookup that fails is not cached. */
export class KeptForAMoment<T> {
  private readonly entries = new Map<string, Kept<T>>();

  constructor(
    private readonly ms: number,
    private readonly most = 10_000,
  ) {}

  get(key: string, lookUp: () => Promise<T>): Promise<T> {
    const known = this.entries.get(key);
    if (known && known.untilMs > Date.now()) return known.value;
    if (this.entries.size >= this.most) this.entries.clear();
    const entry = { value: lookUp(), untilMs: Date.now() + this.ms };
    this.entries.set(key, entry);
    entry.value.catch(() => this.entries.get(key) === entry && this.entries.delete(key));
    return entry.value;
  }

  clear(): void {
    this.entries.clear();
  }
}
