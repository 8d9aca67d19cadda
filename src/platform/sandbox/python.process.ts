// The program of a process of the sandbox that runs Python and nothing else.
import workerpool from 'workerpool';
import type { CodeCall } from './code.messages.js';
import { closeHost, closeRealm, openForLoading } from './doors.js';
import { PythonInterpreter } from './python/interpreter.js';

openForLoading();
const python = await PythonInterpreter.load();
workerpool.worker({
  python(call: CodeCall) {
    workerpool.workerEmit('begun');
    return python.run(call);
  },
});
// Last, because the functions for calls and answers keep what they were given.
closeHost();
closeRealm();
