import { Worker } from 'node:worker_threads';

/** Ends the process when its parent is gone. A thread checks this, because a busy process cannot. */
export function endWithParent(): void {
  new Worker(
    `const parent = process.ppid;
     setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 1000);`,
    { eval: true },
  ).unref();
}

/** The same for a process without threads: Python reads item 0 when it asks for signals. */
export class ParentWatch {
  private readonly parent = process.ppid;
  private readonly kill = process.kill.bind(process);
  private next = 0;

  get 0(): number {
    const now = Date.now();
    if (now > this.next) {
      this.next = now + 1_000;
      if (process.ppid !== this.parent) this.kill(process.pid, 'SIGKILL');
    }
    return 0;
  }

  set 0(_: number) {
    // The interpreter takes signals back.
  }
}
