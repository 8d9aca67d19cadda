// A program for processes of the sandbox that tells which process it is, and waits when it is told to.
import workerpool from 'workerpool';

workerpool.worker({
  pid() {
    workerpool.workerEmit('begun');
    return process.pid;
  },
  hang() {
    workerpool.workerEmit('begun');
    return new Promise(() => setInterval(() => undefined, 1_000));
  },
});
