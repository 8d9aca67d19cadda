// A program for processes of the sandbox that tells which process it is, and waits when it is told to.
import workerpool from 'workerpool';

workerpool.worker({
  run(call) {
    workerpool.workerEmit('begun');
    return call === 'pid' ? process.pid : new Promise(() => setInterval(() => undefined, 1_000));
  },
});
