/** Maximum number of lines, because a prompt of thousands of messages can have as many problems. */
const MAX_LINES = 50;

/** Collects problems while a prompt is rendered. None of them stops the rendering. */
export class Warnings {
  private readonly missing = new Set<string>();
  private readonly undefinedNames = new Map<string, Set<string>>();
  private readonly others = new Set<string>();

  addMissing(names: Iterable<string>): void {
    for (const name of names) this.missing.add(name);
  }

  /** @param place where the template stands, e.g. "message index 1" */
  addUndefined(place: string, names: string[]): void {
    this.addMissing(names);
    const known = this.undefinedNames.get(place) ?? new Set();
    for (const name of names) known.add(name);
    if (known.size > 0) this.undefinedNames.set(place, known);
  }

  add(line: string): void {
    this.others.add(line);
  }

  /** Returns the warnings as text; null without any. The wording is part of the contract: callers show and parse it. */
  toText(): string | null {
    const lines = [...this.undefinedNames].map(([place, names]) => {
      return `Undefined variable in ${place}: ${[...names].map((name) => `'${name}' is undefined`).join(', ')}`;
    });
    if (this.missing.size > 0) {
      const names = [...this.missing].map((name) => `\`${name}\``).join(', ');
      lines.unshift(`Some input variables are missing: (${names})`);
    }
    lines.push(...this.others);
    if (lines.length > MAX_LINES) lines.splice(MAX_LINES, Infinity, `And ${lines.length - MAX_LINES} more.`);
    return lines.length === 0 ? null : lines.join('\n');
  }
}
