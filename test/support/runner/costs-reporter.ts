import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { type Costs, type FileCost, pathOf, readCosts, writeCosts } from './costs.js';

const RECORDS = process.env.RECORD_COSTS === '1';
const SHOWN = 10;
/** Costs of less vary by more than half from run to run. */
const COMPARED_FROM_MS = 1000;
const SLOWER = 1.5;

/** Reports the order of the files, the most expensive ones, and those that became more expensive. Writes the costs with RECORD_COSTS=1. */
export class CostsReporter implements Reporter {
  private vitest!: Vitest;
  private readonly measured: Costs = {};

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunStart(): void {
    this.vitest.logger.log(`Order of the files: TEST_SEED=${this.vitest.config.sequence.seed} repeats it.`);
  }

  /** Writes after every file: a long run that is stopped has not been for nothing. */
  onTestModuleEnd(module: TestModule): void {
    this.measured[pathOf(module.moduleId)] = costOf(module);
    if (RECORDS) writeCosts(this.measured);
  }

  onTestRunEnd(): void {
    const { measured } = this;
    const known = readCosts();
    this.tell('Processor seconds of the most expensive files', Object.entries(measured), ({ total }) => seconds(total));
    const grown = Object.entries(measured).filter(([file, { total }]) => hasGrown(total, known[file]?.total));
    this.tell('More expensive than recorded in test/costs.json', grown, (cost, file) => {
      return `${seconds(cost.total)} instead of ${seconds(known[file]!.total)}`;
    });
  }

  private tell(title: string, files: [string, FileCost][], textOf: (cost: FileCost, file: string) => string): void {
    const shown = [...files].sort(([, a], [, b]) => b.total - a.total).slice(0, SHOWN);
    if (shown.length === 0) return;
    this.vitest.logger.log(
      [`\n${title}:`, ...shown.map(([file, cost]) => `  ${textOf(cost, file)}  ${file}`)].join('\n'),
    );
  }
}

function costOf(module: TestModule): FileCost {
  const tests: Record<string, number> = {};
  for (const test of module.children.allTests()) tests[test.fullName] = (tests[test.fullName] ?? 0) + costOfTest(test);
  // Processor time of a browser is lost when the browser ends with its file.
  const sum = Object.values(tests).reduce((total, ms) => total + ms, 0);
  return { total: Math.max(module.meta().cost ?? 0, sum), tests };
}

const costOfTest = (test: TestCase): number => test.meta().cost ?? 0;

const hasGrown = (ms: number, known: number | undefined): boolean =>
  known !== undefined && ms > COMPARED_FROM_MS && ms > known * SLOWER;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
