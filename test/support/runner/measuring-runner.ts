import { type File, type Suite, type Task, type Test, updateTask } from '@vitest/runner';
import { getTestName, getTests } from '@vitest/runner/utils';
import { TestRunner } from 'vitest';
import { IS_DEEP } from '../depth.js';
import { pathOf, readCosts } from './costs.js';
import { processorTime } from './processor-time.js';
import { deepTests } from './tiers.js';

declare module '@vitest/runner' {
  interface TaskMeta {
    /** Processor time in milliseconds. */
    cost?: number;
  }
}

/** A run that records what tests cost has all of them, in their usual size. */
const RECORDS = process.env.RECORD_COSTS === '1';

/** Measures every test and every file, and leaves out the tests of the deep tier. */
export default class MeasuringRunner extends TestRunner {
  private readonly costs = readCosts();
  private readonly started = new Map<Task, number>();

  onCollected(files: File[]): void {
    if (IS_DEEP || RECORDS) return;
    for (const file of files) {
      const path = pathOf(file.filepath);
      const tests = getTests(file).filter(isToRun);
      const names = tests.map((test) => getTestName(test));
      const deep = deepTests(path, names, this.costs[path]);
      for (const test of tests.filter((each) => deep.has(getTestName(each)))) this.leaveOut(test);
      if (deep.size > 0) endWithTheirTests(file);
    }
  }

  override async onBeforeRunSuite(suite: Suite): Promise<void> {
    this.begin(suite);
    await super.onBeforeRunSuite(suite);
  }

  override async onAfterRunSuite(suite: Suite): Promise<void> {
    await super.onAfterRunSuite(suite);
    this.end(suite);
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    this.begin(test);
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    this.end(test);
  }

  private leaveOut(test: Test): void {
    test.mode = 'skip';
    test.result = { state: 'skip' };
    updateTask('test-finished', test, this);
  }

  private begin(task: Task): void {
    this.started.set(task, processorTime());
  }

  private end(task: Task): void {
    task.meta.cost = processorTime() - (this.started.get(task) ?? 0);
    this.started.delete(task);
  }
}

const isToRun = ({ mode }: Task): boolean => mode === 'run' || mode === 'queued';

/** Suites without a test that is run do not prepare anything. */
function endWithTheirTests(suite: Suite): void {
  for (const task of suite.tasks) if (task.type === 'suite') endWithTheirTests(task);
  if (!suite.tasks.some(isToRun)) suite.mode = 'skip';
}
