import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../../..');
const FILE = path.join(ROOT, 'test/costs.json');
/** Cheaper tests are not listed: their costs are alike and would change with every run. */
const WRITTEN_FROM_MS = 200;

/** Processor time in milliseconds. */
export interface FileCost {
  /** Time of hooks and tests, without imports. */
  total: number;
  /** Times of expensive tests by full name. */
  tests: Record<string, number>;
}

export type Costs = Record<string, FileCost>;

/** Costs by path below the root, as `RECORD_COSTS=1 npm test` measured them last. */
export function readCosts(): Costs {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Costs) : {};
}

/** Keeps the costs of files that were not run, and drops those of deleted files. */
export function writeCosts(measured: Costs): void {
  const known = Object.entries({ ...readCosts(), ...measured }).filter(([file]) => existsSync(path.join(ROOT, file)));
  const costs = known.sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, cost]) => [file, rounded(cost)]);
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(costs), null, 2)}\n`);
}

export const pathOf = (file: string): string => path.relative(ROOT, file).replaceAll(path.sep, '/');

function rounded({ total, tests }: FileCost): FileCost {
  const expensive = Object.entries(tests).filter(([, ms]) => ms >= WRITTEN_FROM_MS);
  return { total: coarse(total), tests: Object.fromEntries(expensive.map(([name, ms]) => [name, coarse(ms)])) };
}

/** Two digits: a third one is another one in every run. */
const coarse = (ms: number): number => Number(ms.toPrecision(2));
