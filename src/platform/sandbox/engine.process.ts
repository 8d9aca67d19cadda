// The program of every process of the sandbox: it loads one engine, closes the ways to the host and answers calls.
import workerpool from 'workerpool';
import { closeHost, closeRealm, openForLoading } from './restrict-process.js';
import { endWithParent } from './parent-watch.js';
import type { ProcessKind } from './programs.js';

type Engine = (call: never) => unknown;

const LOADERS: Record<ProcessKind, (memoryBytes: number) => Promise<Engine>> = {
  templates: async (memoryBytes) => (await import('./quickjs/render-templates.js')).loadTemplates(memoryBytes),
  javascript: async (memoryBytes) => (await import('./quickjs/run-javascript.js')).loadJavaScript(memoryBytes),
  expressions: async () => (await import('./expressions/evaluate-rows.js')).evaluateRows,
  python: async () => (await import('./python/interpreter.js')).loadPython(),
};

const [kind, memoryMb] = process.argv.slice(2) as [ProcessKind, string];
const isPython = kind === 'python';
if (isPython) openForLoading();
else endWithParent();
const run = await LOADERS[kind](Number(memoryMb) << 20);
workerpool.worker({
  run(call: never) {
    // Time is counted from here: loading is not part of it.
    workerpool.workerEmit(process.pid);
    return run(call);
  },
});
// Last, because the functions for calls and answers keep what they were given.
closeHost();
// Code in QuickJS cannot reach the realm around it, but Python might.
if (isPython) closeRealm();
