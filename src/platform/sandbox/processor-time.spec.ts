import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, it, vi } from 'vitest';
import { limitProcessorTime, ownTimeLimit } from './processor-time.js';

let child: ChildProcess | undefined;
afterEach(() => {
  vi.useRealTimers();
  child?.kill('SIGKILL');
});

/** A process that runs this code. */
function run(code: string): number {
  child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
  return child.pid!;
}

it('does not count time in which a process has no processor, for up to 30 seconds', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const onExceeded = vi.fn();
  const end = limitProcessorTime(run('setInterval(() => undefined, 1_000)'), 60_000, onExceeded);
  vi.advanceTimersByTime(89_000);
  expect(onExceeded).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2_000);
  expect(onExceeded).toHaveBeenCalledOnce();
  end();
});

it('ends a process that uses its time, and counts only from now on', async () => {
  const pid = run('for (;;);');
  await new Promise<void>((resolve) => void limitProcessorTime(pid, 100, resolve));
  await new Promise<void>((resolve) => void limitProcessorTime(pid, 100, resolve));
});

it('is over for a process that is gone', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const onExceeded = vi.fn();
  limitProcessorTime(2 ** 30, 100, onExceeded);
  vi.advanceTimersByTime(100);
  expect(onExceeded).toHaveBeenCalledOnce();
});

it('says nothing more once it has ended', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const onExceeded = vi.fn();
  limitProcessorTime(process.pid, 100, onExceeded)();
  vi.advanceTimersByTime(60_000);
  expect(onExceeded).not.toHaveBeenCalled();
});

it('stops the work of this process by the clock and the processor time together', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const isExceeded = ownTimeLimit(50);
  vi.advanceTimersByTime(60_000);
  expect(isExceeded()).toBe(false);
  while (!isExceeded());
});
