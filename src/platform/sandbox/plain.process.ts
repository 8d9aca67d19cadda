// The program of a process of the sandbox. Each engine is loaded when it is first needed.
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import workerpool from 'workerpool';
import type { CodeCall } from './code.messages.js';
import { closeHost } from './doors.js';
import type { EvaluationCall } from './expressions/evaluate-rows.js';
import type { TemplatesCall } from './quickjs/render-templates.messages.js';

// V8 optimises WebAssembly once it has run for long. By default it begins while an engine loads, which doubles what a start costs.
setFlagsFromString('--wasm-tiering-budget=180000000');

// A process that is busy does not notice that its parent is gone; a thread beside it does.
new Worker(
  `const parent = process.ppid;
   setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);`,
  { eval: true },
).unref();
closeHost();

/** Says that the work begins now: loading is not counted against its time. */
const begin = () => workerpool.workerEmit('begun');

workerpool.worker({
  async templates(call: TemplatesCall) {
    const { renderTemplates } = await import('./quickjs/render-templates.js');
    return renderTemplates(call, begin);
  },
  async expressions(call: EvaluationCall) {
    const { evaluateRows } = await import('./expressions/evaluate-rows.js');
    begin();
    return evaluateRows(call);
  },
  async javascript(call: CodeCall) {
    const { runJavaScript } = await import('./quickjs/run-javascript.js');
    return runJavaScript(call, begin);
  },
});
