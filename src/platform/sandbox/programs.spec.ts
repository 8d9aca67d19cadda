import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './limits.js';
import { PROCESS_KINDS, programOf } from './programs.js';

/** Each throws an error with a code when it is refused. */
const ATTEMPTS = {
  'reads a file': `fs.readFileSync('/etc/passwd')`,
  'lists a folder': `fs.readdirSync('/')`,
  'reads the environment of its parent': `fs.readFileSync('/proc/' + process.ppid + '/environ')`,
  'writes a file': `fs.writeFileSync('/tmp/sandbox-was-here', '')`,
  'writes over its program': `fs.writeFileSync(program, '')`,
  'starts a process': `require('child_process').execSync('id')`,
  'loads native code': `process.dlopen({ exports: {} }, '/tmp/any.node')`,
};

it.each(PROCESS_KINDS)('a process for %s has the permissions to read its program and nothing else', (kind) => {
  const { file, flags } = programOf(kind, DEFAULT_LIMITS);
  const attempts = Object.values(ATTEMPTS).map((code) => `() => ${code}`);
  const script = `
    const fs = require('fs');
    const program = ${JSON.stringify(file)};
    const outcome = (attempt) => { try { attempt(); return 'done'; } catch (error) { return error.code; } };
    const outcomes = [${attempts.join(', ')}].map(outcome);
    console.log(JSON.stringify([...outcomes, fs.readFileSync(program).length > 0]));`;
  const printed = execFileSync(process.execPath, [...flags, '--eval', script], { env: {}, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([
    ...attempts.map(() => expect.stringMatching(/^ERR_(ACCESS_DENIED|DLOPEN_DISABLED)$/)),
    true,
  ]);
});

it('lets no process but that of expressions make code from texts', () => {
  const canMake = PROCESS_KINDS.filter((kind) => {
    const script = `try { new Function('return 1')(); console.log('yes'); } catch { console.log('no'); }`;
    const args = [...programOf(kind, DEFAULT_LIMITS).flags, '--eval', script];
    return execFileSync(process.execPath, args, { env: {}, encoding: 'utf8' }).trim() === 'yes';
  });
  expect(canMake).toEqual(['expressions']);
});
