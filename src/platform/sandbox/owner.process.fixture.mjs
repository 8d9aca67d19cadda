// A program for processes of the sandbox that reports the id of its process, waits on request, and sends strange events.
import workerpool from 'workerpool';

workerpool.worker({
  run(call) {
    for (const event of [null, undefined, 'begun', {}, process.pid, null, -1, NaN]) workerpool.workerEmit(event);
    return call === 'pid' ? process.pid : new Promise(() => setInterval(() => undefined, 1_000));
  },
});
