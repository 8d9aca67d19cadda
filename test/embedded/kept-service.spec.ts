import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Embedded, KeptService, type ServiceWatcher } from '../../src/embedded/kept-service.js';
import { until } from '../support/until.js';

const PORT = 7;
const LIVES = 'process.stdin.resume()';
const DIES_OF_FULL_DISK = 'console.log("FATAL: could not write to file: No space left on device"); process.exit(1)';

/** A service that is a program of these lines; `stop` ends it. */
async function service(program: string): Promise<Embedded> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (text) => (output += String(text)));
  await once(child, 'spawn');
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null && child.kill()) await once(child, 'exit');
  };
  return { name: 'Store', url: '', port: PORT, child, recentOutput: () => output, stop };
}

async function watch(first: Embedded, startAgain: (port: number) => Promise<Embedded>) {
  const told: string[] = [];
  const watcher: ServiceWatcher = {
    say: (text) => told.push(text),
    onGiveUp: (message) => told.push(`gave up: ${message}`),
  };
  const kept = new KeptService(first, startAgain);
  if (first.child.exitCode === null) await once(first.child, 'close').catch(() => undefined);
  kept.watch(watcher);
  return { kept, told };
}

const FULL = 'The disk is full and Store has stopped. Make room: it is then started again by itself; nothing is lost.';

describe('a service that has ended', () => {
  it('because of a full disk is restarted on its port until there is room', async () => {
    const ports: number[] = [];
    const { kept, told } = await watch(await service(DIES_OF_FULL_DISK), (port) => {
      if (ports.push(port) === 1) return Promise.reject(new Error('PostgreSQL stopped: No space left on device'));
      return service(LIVES);
    });
    await until(() => Promise.resolve(told.length === 2));
    expect([ports, told]).toEqual([
      [PORT, PORT],
      [FULL, 'Store runs again'],
    ]);
    await kept.stop();
  });

  it('because of a full disk is watched again after its restart', async () => {
    const programs = [DIES_OF_FULL_DISK, LIVES];
    const { kept, told } = await watch(await service(DIES_OF_FULL_DISK), () => service(programs.shift()!));
    await until(() => Promise.resolve(told.length === 4));
    expect(told).toEqual([FULL, 'Store runs again', FULL, 'Store runs again']);
    await kept.stop();
  });

  it('for another reason is not restarted', async () => {
    const { told } = await watch(await service('process.exit(3)'), () => service(LIVES));
    await until(() => Promise.resolve(told.length > 0));
    expect(told).toEqual([expect.stringMatching(/^gave up: Store ended unexpectedly \(exit code 3\)/)]);
  });

  it('is not started again when something else is in the way by then', async () => {
    const refuse = () => Promise.reject(new Error('The data are gone.'));
    const { told } = await watch(await service(DIES_OF_FULL_DISK), refuse);
    await until(() => Promise.resolve(told.length === 2));
    expect(told).toEqual([FULL, expect.stringMatching(/^gave up: Store stopped .*The data are gone\./)]);
  });

  it('is not started again once the product stops', async () => {
    let starts = 0;
    const { kept, told } = await watch(await service(DIES_OF_FULL_DISK), () => {
      starts++;
      return Promise.reject(new Error('No space left on device'));
    });
    await kept.stop();
    expect([starts, told]).toEqual([0, [FULL]]);
  });
});
