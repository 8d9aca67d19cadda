import { type ChildProcess, spawn } from 'node:child_process';
import type { EvaluationAnswer, EvaluationCall, Outcome } from './evaluator.messages.js';
import { programUrl } from './program-url.js';

/** Starting one takes a tenth of a second; on a machine that busy something else is wrong. */
const START_MS = 30_000;
/** Waits for the address of the program, which is too long for an argument when it runs from sources. */
const BOOT = `process.once('message', (url) => import(url));`;

/** Why an evaluator ended in the middle of a call. */
export type Stopped = 'time' | 'memory';

/**
 * A process that evaluates expressions of users. A thread would not do: running out of memory in a thread can end
 * the whole process, and running out of memory is easy.
 */
export class Evaluator {
  private constructor(private readonly child: ChildProcess) {}

  static async start(memoryMb: number): Promise<Evaluator> {
    const url = await programUrl(new URL('./evaluator.process', import.meta.url));
    const child = spawn(process.execPath, [`--max-old-space-size=${memoryMb}`, '--input-type=module', '-e', BOOT], {
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const evaluator = new Evaluator(child);
    child.unref();
    child.channel?.unref();
    child.on('error', () => undefined);
    child.send(url, () => undefined);
    const ready = await evaluator.next(START_MS);
    if (ready === 'time' || ready === 'memory') {
      evaluator.stop();
      throw new Error('The process that evaluates expressions does not start.');
    }
    return evaluator;
  }

  /** Adds the outcomes of the rows as they come. Says why when not all of them came; the evaluator is of no use then. */
  async evaluate(call: EvaluationCall, outcomes: Outcome[], rowMs: number): Promise<Stopped | null> {
    const goal = outcomes.length + call.rows.length;
    this.child.send(call, () => undefined);
    while (outcomes.length < goal) {
      const answer = await this.next(rowMs);
      if (answer === 'time' || answer === 'memory') {
        this.stop();
        return answer;
      }
      outcomes.push(...(answer as EvaluationAnswer));
    }
    return null;
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }

  /** The next message, or why there will be none. A process that dies by itself has run out of memory. */
  private next(limitMs: number): Promise<unknown> {
    const { child } = this;
    return new Promise((resolve) => {
      const settle = (result: unknown) => {
        clearTimeout(timer);
        child.off('message', settle).off('exit', onEnd).off('error', onEnd);
        resolve(result);
      };
      const onEnd = () => settle('memory');
      const timer = setTimeout(() => settle('time'), limitMs);
      child.on('message', settle).on('exit', onEnd).on('error', onEnd);
      if (child.exitCode !== null || child.signalCode !== null) onEnd();
    });
  }
}
