// `npm run check`: all checks that every change must pass in addition to the tests. Two run at a time; each prints its
// time and its findings.
import { spawn } from 'node:child_process';

const AT_ONCE = 2;
/** The longest first, so that no processor idles at the end. */
const CHECKS = ['format:check', 'lint:deps', 'typecheck', 'lint', 'docs:check', 'lint:api'];

const waiting = [...CHECKS];
await Promise.all(Array.from({ length: AT_ONCE }, checkNext));

async function checkNext() {
  for (let name; (name = waiting.shift());) {
    const started = performance.now();
    const { code, output } = await run(name);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${code === 0 ? 'passed' : 'FAILED'}  npm run ${name}  ${seconds} s`);
    if (code === 0) continue;
    console.log(output);
    process.exitCode = 1;
  }
}

function run(name) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('close', (code) => resolve({ code, output }));
  });
}
