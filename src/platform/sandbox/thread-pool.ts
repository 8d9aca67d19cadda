import { Worker } from 'node:worker_threads';
import { type TurnOwner, Turns } from '../turns.js';
import type { ThreadCall, ThreadData, ThreadResult } from './messages.js';
import { readSandboxCode } from './sandbox-code.js';

export interface ThreadLimits {
  memoryBytes: number;
  stackBytes: number;
  outputLimit: number;
}

/** A thread that does not answer this long after the deadline of its call is ended from outside. */
const GRACE_MS = 400;
/** Starting one takes a tenth of a second; on a machine that busy something else is wrong. */
const START_MS = 30_000;

interface Job {
  call: ThreadCall;
  resolve(results: ThreadResult[] | null): void;
  reject(error: Error): void;
}

/**
 * Threads that render templates, one call at a time each. Calls wait here, in turns, and not in a thread, so
 * ending a thread that hangs costs no call but its own. Threads start when there is work and do not keep the process alive.
 */
export class ThreadPool {
  private readonly waiting = new Turns<Job>();
  private readonly idle: Worker[] = [];
  private readonly all = new Set<Worker>();
  private starting = 0;
  private isClosed = false;

  constructor(
    private readonly size: number,
    private readonly limits: ThreadLimits,
  ) {}

  /** Null when the thread hung or died: nothing is known about the call then. Rejects when no thread can start. */
  run(call: ThreadCall, owner: TurnOwner): Promise<ThreadResult[] | null> {
    if (this.isClosed) return Promise.reject(new Error('The template sandbox is closed.'));
    return new Promise((resolve, reject) => {
      this.waiting.add(owner, { call, resolve, reject });
      this.assign();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const threads = [...this.all];
    this.failWaiting(new Error('The template sandbox is closed.'));
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  private assign(): void {
    while (this.waiting.size > 0 && this.idle.length > 0) {
      this.work(this.idle.pop() as Worker, this.waiting.take() as Job);
    }
    const missing = Math.min(this.waiting.size - this.starting, this.size - this.all.size - this.starting);
    for (let index = 0; index < missing; index++) this.start();
  }

  private start(): void {
    this.starting++;
    void this.startThread().then(
      (thread) => {
        this.starting--;
        if (thread) this.idle.push(thread);
        this.assign();
      },
      (error: Error) => {
        this.starting--;
        // Others may still be at work; only without any would the calls wait for ever.
        if (this.all.size === 0 && this.starting === 0) this.failWaiting(error);
      },
    );
  }

  private async startThread(): Promise<Worker | null> {
    const { thread: text, modules, quickjsUrl } = await readSandboxCode();
    if (this.isClosed) return null;
    const workerData: ThreadData = { modules, quickjsUrl, ...this.limits };
    const url = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
    const thread = new Worker(url, { workerData, env: {}, execArgv: [], name: 'templates' });
    this.all.add(thread);
    thread.unref();
    try {
      await firstMessage(thread, START_MS);
    } catch (error) {
      this.drop(thread);
      throw error;
    }
    return thread;
  }

  private work(thread: Worker, job: Job): void {
    thread.postMessage(job.call);
    firstMessage(thread, job.call.deadlineMs + GRACE_MS).then(
      (results) => {
        this.idle.push(thread);
        job.resolve(results as ThreadResult[]);
        this.assign();
      },
      () => {
        this.drop(thread);
        job.resolve(null);
        this.assign();
      },
    );
  }

  private drop(thread: Worker): void {
    this.all.delete(thread);
    void thread.terminate();
  }

  private failWaiting(error: Error): void {
    for (let job = this.waiting.take(); job; job = this.waiting.take()) job.reject(error);
  }
}

/** The next message of a thread. Rejects when it dies or says nothing for so long. */
function firstMessage(thread: Worker, limitMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      finish();
    };
    const onMessage = (message: unknown) => settle(() => resolve(message));
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new Error('The thread ended.')));
    const timer = setTimeout(() => settle(() => reject(new Error('The thread does not answer.'))), limitMs);
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
  });
}
