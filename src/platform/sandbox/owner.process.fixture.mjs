// A program for processes of the sandbox that reports the id of its process, and waits on request.
import workerpool from 'workerpool';

workerpool.worker({
  run(call) {
    workerpool.workerEmit({ begun: process.pid });
    return call === 'pid' ? process.pid : new Promise(() => setInterval(() => undefined, 1_000));
  },
});
