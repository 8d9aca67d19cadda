// The program of a process of its own: started by evaluator.ts, which ends it when a row takes too long.
import { Worker } from 'node:worker_threads';
import { evaluations } from './evaluations.js';
import type { EvaluationCall, Outcome } from './evaluator.messages.js';
import { EvaluationError } from './evaluation-error.js';

/** Largest result of a row, in characters of its JSON. */
const MAX_RESULT = 5_000_000;

// A process that is busy does not notice that its parent is gone; a thread beside it does.
new Worker(
  `const parent = process.ppid;
   setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);`,
  { eval: true },
).unref();

async function answer({ name, options, rows, flushMs }: EvaluationCall): Promise<void> {
  let finished: Outcome[] = [];
  let sentAt = performance.now();
  for (const texts of rows) {
    finished.push(evaluate(() => evaluations[name](options as never, texts)));
    if (performance.now() - sentAt < flushMs) continue;
    await send(finished);
    finished = [];
    sentAt = performance.now();
  }
  if (finished.length > 0) await send(finished);
}

function evaluate(run: () => Extract<Outcome, { value: unknown }>['value']): Outcome {
  try {
    const value = run();
    const size = typeof value === 'object' ? JSON.stringify(value).length : String(value).length;
    return size > MAX_RESULT ? { error: `The result is longer than ${MAX_RESULT} characters.` } : { value };
  } catch (error) {
    if (error instanceof EvaluationError) return { error: error.message };
    if (error instanceof RangeError) return { error: 'The source nests too deeply or the expression is too large.' };
    return { error: `It could not be evaluated: ${String(error).slice(0, 200)}` };
  }
}

/** Waits until it is on its way: in the middle of the next row nothing is sent. */
function send(message: Outcome[] | 'ready'): Promise<void> {
  return new Promise((resolve) => process.send!(message, undefined, {}, () => resolve()));
}

process.on('message', (call: EvaluationCall) => void answer(call));
process.on('disconnect', () => process.exit());
void send('ready');
