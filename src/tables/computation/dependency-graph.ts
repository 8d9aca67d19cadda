/** `dependent` reads `source`. Both are column ids. */
export interface Dependency {
  dependent: string;
  source: string;
}

/** The columns of a sheet and what they read. Pure; columns without edges need not be known to it. */
export class DependencyGraph {
  private readonly sources = new Map<string, Set<string>>();
  private readonly dependents = new Map<string, Set<string>>();
  private readonly ranks = new Map<string, number>();

  constructor(dependencies: Iterable<Dependency>) {
    for (const { dependent, source } of dependencies) {
      add(this.sources, dependent, source);
      add(this.dependents, source, dependent);
    }
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

  /**
   * 0 for a column that reads nothing, otherwise one more than the highest rank it reads: computing in ascending
   * order computes everything after what it reads. The graph must have no cycle.
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

  /** The columns of one cycle, first and last the same; null when there is none. */
  findCycle(): string[] | null {
    const done = new Set<string>();
    for (const column of this.sources.keys()) {
      const cycle = this.cycleFrom(column, done);
      if (cycle) return cycle;
    }
    return null;
  }

  /** Depth first without recursion: a chain of columns may be long. */
  private cycleFrom(start: string, done: Set<string>): string[] | null {
    const path = [start];
    const open = [this.directSources(start).values()];
    while (path.length > 0) {
      const { value: next, done: exhausted } = open.at(-1)!.next();
      if (exhausted) {
        done.add(path.pop()!);
        open.pop();
      } else if (path.includes(next)) {
        return [...path.slice(path.indexOf(next)), next];
      } else if (!done.has(next)) {
        path.push(next);
        open.push(this.directSources(next).values());
      }
    }
    return null;
  }
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
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
