/** `dependent` reads `source`. Both are column ids. */
export interface Dependency {
  dependent: string;
  source: string;
}

/** The dependencies between the columns of a sheet. Pure; columns without edges may be missing. */
export class DependencyGraph {
  private readonly sources = new Map<string, Set<string>>();
  private readonly dependents = new Map<string, Set<string>>();
  private readonly ranks = new Map<string, number>();

  constructor(dependencies: Iterable<Dependency>) {
    for (const dependency of dependencies) this.add(dependency);
  }

  add({ dependent, source }: Dependency): void {
    put(this.sources, dependent, source);
    put(this.dependents, source, dependent);
    this.ranks.clear();
  }

  directSources(column: string): Set<string> {
    return this.sources.get(column) ?? new Set();
  }

  /** Every column whose value depends on one of these, directly or not. The given ones are not among them. */
  allDependents(columns: Iterable<string>): Set<string> {
    return reach(columns, this.dependents);
  }

  /** Every column that one of these depends on, directly or not. The given ones are not among them. */
  allSources(columns: Iterable<string>): Set<string> {
    return reach(columns, this.sources);
  }

  /** Columns from one to another, each of which reads the next. null when the first does not depend on the last. */
  path(from: string, to: string): string[] | null {
    const cameFrom = new Map<string, string | null>([[from, null]]);
    for (const column of cameFrom.keys()) {
      if (column === to) return trail(cameFrom, to);
      for (const source of this.directSources(column)) if (!cameFrom.has(source)) cameFrom.set(source, column);
    }
    return null;
  }

  /**
   * 0 for a column without sources, otherwise one more than the highest rank of its sources: ascending order computes
   * every column after its sources. The graph must have no cycle.
   */
  rank(column: string): number {
    const known = this.ranks.get(column);
    if (known !== undefined) return known;
    const rank = [...this.directSources(column)].reduce(
      (highest, source) => Math.max(highest, this.rank(source) + 1),
      0,
    );
    this.ranks.set(column, rank);
    return rank;
  }
}

function put(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key);
  if (set) set.add(value);
  else map.set(key, new Set([value]));
}

function reach(start: Iterable<string>, next: Map<string, Set<string>>): Set<string> {
  const given = new Set(start);
  const reached = new Set<string>();
  const waiting = [...given];
  for (let column = waiting.pop(); column !== undefined; column = waiting.pop()) {
    for (const neighbour of next.get(column) ?? []) {
      if (reached.has(neighbour) || given.has(neighbour)) continue;
      reached.add(neighbour);
      waiting.push(neighbour);
    }
  }
  return reached;
}

function trail(cameFrom: Map<string, string | null>, end: string): string[] {
  const steps: string[] = [];
  for (let step: string | null = end; step !== null; step = cameFrom.get(step) ?? null) steps.unshift(step);
  return steps;
}
